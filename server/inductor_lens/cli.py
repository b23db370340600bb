"""The command line: `inductor-lens report | kernels | check | doctor | serve`.

Only what was asked for goes to stdout; progress and problems go to stderr. Each command imports what it needs
when it runs, so that `serve` starts as fast as it can.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from inductor_lens import __version__

_Parser = argparse.ArgumentParser

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
        epilog="`inductor-lens COMMAND --help` tells of one command. More in docs/cli.md.",
    )
    parser.add_argument("--version", action="version", version=f"inductor-lens {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def command(name: str, help_: str, more: str, run: Callable[[argparse.Namespace], int]) -> _Parser:
        added = commands.add_parser(
            name, help=help_, description=f"{help_[0].upper()}{help_[1:]}. {more}".strip()
        )
        added.set_defaults(run=run)
        return added

    report = command(
        "report",
        "the kernels of one or several traces, with their throughput",
        "Several traces (ranks, runs) give one row a kernel with the spread over them.",
        _report,
    )
    _add_traces(report)
    _add_format(report)
    report.add_argument("--launches", action="store_true", help="every launch too (json), or instead (csv)")
    report.add_argument(
        "--sort",
        choices=("time", "recoverable", "bandwidth", "name"),
        default="time",
        help="most time first (default), most recoverable time, lowest bandwidth, or by name",
    )

    kernels = command(
        "kernels",
        "the kernels of generated files or cache folders, without a trace",
        "What each moves and computes by its own source.",
        _kernels,
    )
    kernels.add_argument(
        "paths",
        nargs="+",
        type=Path,
        metavar="PATH",
        help="an output_code.py, a kernel's file, or a folder of them",
    )
    _add_format(kernels)

    check = command(
        "check",
        "fail when kernels waste bandwidth or became slower (for CI)",
        "Exit status: 0 when clean, 1 when a kernel was flagged or nothing could be checked, 2 for wrong usage.",
        _check,
    )
    _add_traces(check)
    flags = check.add_argument_group("what is flagged")
    _add_percent(flags, "--min-peak-percent", 50, "a kernel below this part of its attainable bandwidth")
    _add_percent(flags, "--min-time-share", 1, "... if it takes at least this part of all Triton time")
    flags.add_argument(
        "--min-time-us",
        type=_not_negative,
        default=10.0,
        metavar="US",
        help="... and one launch at least so many microseconds (default: 10)",
    )
    flags.add_argument("--baseline", type=Path, metavar="OLD", help="a trace to compare with")
    _add_percent(
        flags, "--max-slowdown", 5, "a kernel that takes longer than in the baseline by more than this"
    )
    check.add_argument(
        "--format", choices=("text", "json", "sarif", "github"), default="text", help="default: text"
    )

    doctor = command(
        "doctor", "versions, search paths, what a workspace holds, and what is missing", "", _doctor
    )
    doctor.add_argument(
        "workspace", nargs="?", type=Path, default=Path(), metavar="WORKSPACE", help="default: this folder"
    )
    _add_cache(doctor)

    serve = command("serve", "the language server, over stdio", "Editors start it by themselves.", _serve)
    serve.add_argument(
        "--tcp", type=_port, metavar="PORT", help="listen on this loopback port instead (0: any)"
    )
    serve.add_argument(
        "--log-file", type=Path, metavar="FILE", help="append the log to a file, with tracebacks"
    )
    return parser


def _add_traces(parser: _Parser) -> None:
    parser.add_argument(
        "traces",
        nargs="+",
        type=Path,
        metavar="TRACE",
        help=".json or .json.gz of torch.profiler, or a folder of them",
    )
    parser.add_argument(
        "--capture",
        action="append",
        type=Path,
        default=[],
        metavar="TRACE",
        help="a trace of the graph's capture, which has the shapes that a replay lacks",
    )
    _add_cache(parser)
    parser.add_argument("--device", metavar="NAME", help="the GPU, where the trace does not say")
    parser.add_argument(
        "--peak-bandwidth", type=_bandwidth, metavar="TB/s", help="its memory's peak, where you know better"
    )


def _add_cache(parser: _Parser) -> None:
    parser.add_argument(
        "--inductor-cache-dir",
        action="append",
        type=Path,
        default=[],
        metavar="DIR",
        help="where Inductor's generated files lie; looked at before its own caches",
    )


def _add_format(parser: _Parser) -> None:
    parser.add_argument(
        "--format", choices=("table", "json", "csv", "markdown"), default="table", help="default: table"
    )


def _add_percent(group: argparse._ArgumentGroup, name: str, default: float, help_: str) -> None:
    group.add_argument(
        name,
        type=_not_negative,
        default=float(default),
        metavar="PERCENT",
        help=f"{help_} (default: {default})",
    )


def _not_negative(text: str) -> float:
    value = _number(text)
    if not 0 <= value < 1e12:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0 up")
    return value


def _bandwidth(text: str) -> float:
    value = _number(text)
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"{text} is no bandwidth in TB/s")
    return value


def _port(text: str) -> int:
    if not text.isdecimal() or int(text[:6]) > 65_535:
        raise argparse.ArgumentTypeError(f"{text} is no port from 0 to 65535")
    return int(text)


def _number(text: str) -> float:
    """NaN for what is none, which no limit lets pass."""
    try:
        return float(text)
    except ValueError:
        return float("nan")


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
