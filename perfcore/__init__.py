"""The performance model: bytes and paths in, plain records and problems out.

This package knows nothing of editors, of the Language Server Protocol or of global state. See
docs/architecture.md for the way of the data and docs/model.md for the formulas.
"""
