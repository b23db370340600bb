"""Inductor-generated `.py` files → kernels and their call sites. Parsed, never imported or executed."""

from perfcore.inductor.model import CallSite, InductorFile, KernelSource, Span, TensorShape
from perfcore.inductor.read import read_inductor_file

__all__ = ["CallSite", "InductorFile", "KernelSource", "Span", "TensorShape", "read_inductor_file"]
