"""The language server and command line of Inductor Lens."""
