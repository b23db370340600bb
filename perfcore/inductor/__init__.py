"""Inductor-generated `.py` files → kernels and their call sites. Parsed, never imported or executed."""
