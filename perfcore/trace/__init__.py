"""A profiler trace file → launches."""
