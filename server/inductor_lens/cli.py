"""The command line: `inductor-lens report | kernels | check | doctor | serve`.

Only what was asked for goes to stdout; progress and problems go to stderr. Each command imports what it needs
when it runs, so that `serve` starts as fast as it can.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from inductor_lens import __version__

EXIT_OK, EXIT_NO_FIGURES, EXIT_USAGE = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Exit status: 0 with figures, 1 when no figure could be given (or `check` flagged a
    kernel), 2 for wrong usage."""
    # Generated text is parsed, never run: what Python would warn of in it is no concern of this program's user.
    warnings.simplefilter("ignore", SyntaxWarning)
    options = _parser().parse_args(arguments)
    run = options.run
    try:
        status: int = run(options)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of a pipe (head, less) has seen enough.
        sys.stderr.close()
        return EXIT_OK
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="inductor-lens",
        description="Throughput of torch.compile's Triton kernels, from profiler traces and generated sources.",
    )
    parser.add_argument("--version", action="version", version=f"inductor-lens {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    report = commands.add_parser("report", help="the kernels of one or several traces, with their throughput")
    _add_traces(report)
    _add_format(report)
    report.add_argument("--launches", action="store_true", help="every launch too (JSON and CSV)")
    report.add_argument("--sort", choices=("time", "recoverable", "bandwidth", "name"), default="time")
    report.set_defaults(run=_report)

    kernels = commands.add_parser(
        "kernels", help="the kernels of generated .py files or cache folders, without a trace"
    )
    kernels.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    _add_format(kernels)
    kernels.set_defaults(run=_kernels)

    check = commands.add_parser("check", help="fail when kernels waste bandwidth or became slower (for CI)")
    _add_traces(check)
    check.add_argument("--min-peak-percent", type=float, default=50.0, metavar="PERCENT")
    check.add_argument(
        "--min-time-share", type=float, default=1.0, metavar="PERCENT", help="of all Triton time"
    )
    check.add_argument("--min-time-us", type=float, default=10.0, metavar="US", help="median of one launch")
    check.add_argument("--baseline", type=Path, metavar="OLD", help="a trace to compare with")
    check.add_argument("--max-slowdown", type=float, default=5.0, metavar="PERCENT")
    check.add_argument("--format", choices=("text", "json", "sarif", "github"), default="text")
    check.set_defaults(run=_check)

    doctor = commands.add_parser(
        "doctor", help="versions, search paths, what was found in a workspace, what is missing"
    )
    doctor.add_argument("workspace", nargs="?", type=Path, default=Path())
    doctor.add_argument("--inductor-cache-dir", action="append", type=Path, default=[], metavar="DIR")
    doctor.set_defaults(run=_doctor)

    serve = commands.add_parser("serve", help="the language server, over stdio")
    serve.add_argument("--tcp", type=int, metavar="PORT", help="listen on this loopback port instead")
    serve.add_argument("--log-file", type=Path, metavar="FILE")
    serve.set_defaults(run=_serve)
    return parser


def _add_traces(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "traces", nargs="+", type=Path, metavar="TRACE", help=".json or .json.gz of torch.profiler"
    )
    parser.add_argument(
        "--capture",
        action="append",
        type=Path,
        default=[],
        metavar="TRACE",
        help="a trace of the graph's capture, whose shapes a replay lacks",
    )
    parser.add_argument("--inductor-cache-dir", action="append", type=Path, default=[], metavar="DIR")
    parser.add_argument("--device", metavar="NAME", help="the GPU, where the trace does not say")
    parser.add_argument("--peak-bandwidth", type=_positive, metavar="TB/s", help="what its memory can do")


def _add_format(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=("table", "json", "csv", "markdown"), default="table")


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"{text} is no bandwidth in TB/s")
    return value


def _report(options: argparse.Namespace) -> int:
    from inductor_lens.commands import report

    return report.run(options)


def _kernels(options: argparse.Namespace) -> int:
    from inductor_lens.commands import kernels

    return kernels.run(options)


def _check(options: argparse.Namespace) -> int:
    from inductor_lens.commands import check

    return check.run(options)


def _doctor(options: argparse.Namespace) -> int:
    from inductor_lens.commands import doctor

    return doctor.run(options)


def _serve(options: argparse.Namespace) -> int:
    from inductor_lens.server import serve

    return serve(options.tcp, options.log_file)
