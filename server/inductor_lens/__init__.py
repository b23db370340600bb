"""The language server and command line of Inductor Lens."""

__version__ = "0.1.0"
