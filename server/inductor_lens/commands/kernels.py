"""`inductor-lens kernels`: what generated sources say by themselves, without a trace."""

from __future__ import annotations

import argparse
import sys

import orjson

from inductor_lens import wording
from inductor_lens.commands.paths import from_here
from inductor_lens.commands.problems import say
from inductor_lens.commands.tables import Sheet, print_csv, print_markdown, print_table
from inductor_lens.report_json import Json, metadata_object
from perfcore.counted import counted
from perfcore.inductor.cache import read_sources
from perfcore.metadata import KernelMetadata, source_metadata

SCHEMA = "inductor-lens/kernels/1"
_CSV = (
    "name", "category", "xnumel", "rnumel", "bytes", "data_moved_mb", "gflops", "flops_per_byte", "origin", "path",
    "line",
)  # fmt: skip

_DISPENSABLE = ("origin", "FLOP/byte", "category", "where", "GFLOP")


def run(options: argparse.Namespace) -> int:
    """Exit status 0 with at least one kernel, else 1."""
    kernels, calls, problems = read_sources(options.paths)
    say(problems)
    listed = [source_metadata(kernel, calls.get(kernel.content_hash or "")) for kernel in kernels]
    if options.format == "json":
        result = {
            "schema": SCHEMA,
            "kernels": [kernel_object(metadata) for metadata in listed],
            "problems": [
                {"code": p.code, "severity": p.severity, "message": p.message, "path": p.path}
                for p in problems
            ],
        }
        sys.stdout.buffer.write(orjson.dumps(result, option=orjson.OPT_INDENT_2) + b"\n")
    elif options.format == "csv":
        objects = [kernel_object(metadata) for metadata in listed]
        print_csv(_CSV, [[item[key] for key in _CSV] for item in objects])
    else:
        header = ("kernel", "category", "numels", "MB", "GFLOP", "FLOP/byte", "origin", "where")
        sheet = Sheet(header, tuple(_cells(metadata) for metadata in listed), _DISPENSABLE)
        if options.format == "markdown":
            print_markdown(sheet)
        elif listed:
            print_table(sheet, [counted(len(listed), "kernel")])
    return 0 if listed else 1


def kernel_object(metadata: KernelMetadata) -> Json:
    """One entry of `kernels`: the metadata and where the kernel's `def` stands."""
    source = metadata.source
    return {
        **metadata_object(metadata, metadata.notes),
        "path": source.path if source else None,
        "line": source.line + 1 if source else None,
    }


def _cells(metadata: KernelMetadata) -> tuple[str, ...]:
    source = metadata.source
    intensity = (
        metadata.flops / metadata.bytes_moved if metadata.flops is not None and metadata.bytes_moved else None
    )
    return (
        metadata.name,
        metadata.category or wording.UNKNOWN,
        " ".join(f"{prefix.rstrip('_')}={size:,}" for prefix, size in metadata.numels) or wording.UNKNOWN,
        wording.exact_megabytes(metadata.bytes_moved),
        wording.gflops_number(metadata.flops),
        wording.ratio(intensity),
        metadata.origin,
        f"{from_here(source.path)}:{source.line + 1}" if source else wording.UNKNOWN,
    )
