"""A profiler trace file → launches."""

from perfcore.trace.reader import read_events, read_trace
from perfcore.trace.text import Cancelled

__all__ = ["Cancelled", "read_events", "read_trace"]
