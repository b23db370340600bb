"""A profiler trace file → launches."""

from perfcore.trace.capture import capture_summary, with_captures
from perfcore.trace.find_capture import find_capture
from perfcore.trace.reader import read_events, read_trace
from perfcore.trace.text import Cancelled

__all__ = ["Cancelled", "capture_summary", "find_capture", "read_events", "read_trace", "with_captures"]
