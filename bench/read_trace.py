"""Reading a trace to launches against merely decoding its JSON: `python bench/read_trace.py [TRACE.json.gz]`.

Each figure comes from a process of its own (so that peak memory is that of one thing), the things take turns, and
the best of the rounds counts. Prints ratios, which hold on any machine, beside this machine's seconds. The tenfold
trace is written to a temporary file and removed.
"""

from __future__ import annotations

import argparse
import gzip
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
DEFAULT = ROOT.parent / "shared" / "traces" / "sd35.mi300x.json.gz"

THINGS = {
    "orjson.loads": "import orjson; text = open(path, 'rb').read(); start(); orjson.loads(text)",
    "read_trace": "from perfcore.trace import read_trace; start(); read_trace(path)",
    "read_events": "from perfcore.trace import read_events; start(); read_events(path, keep_flows=False)",
    "decompress": (
        "from perfcore.trace.stored import StoredTrace; start(); stored = StoredTrace(path)\n"
        "while stored.read(): pass"
    ),
    "nothing": "import perfcore.trace; start()",
}

MEASURE = """
import sys, time
path = sys.argv[1]
def start():
    global began
    began = time.process_time()
{thing}
seconds = time.process_time() - began
status = open('/proc/self/status').read()  # ru_maxrss would be at least that of the process that started this one
print(seconds, status.partition('VmHWM:')[2].split()[0])
"""


class Cost(NamedTuple):
    """Seconds of processor time and peak memory of the whole process in MiB."""

    seconds: float
    peak_mib: float


def measure(thing: str, path: Path) -> Cost:
    done = subprocess.run(
        [sys.executable, "-c", MEASURE.format(thing=THINGS[thing]), str(path)],
        capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    seconds, peak_kib = done.stdout.split()
    return Cost(float(seconds), float(peak_kib) / 1024)


def compare(cases: dict[str, tuple[str, Path]], rounds: int) -> dict[str, Cost]:
    """The best of each case, in turns."""
    costs: dict[str, list[Cost]] = {name: [] for name in cases}
    for _ in range(rounds):
        for name, (thing, path) in cases.items():
            costs[name].append(measure(thing, path))
    return {
        name: Cost(min(c.seconds for c in found), min(c.peak_mib for c in found))
        for name, found in costs.items()
    }


def repeat_events(text: bytes, times: int, path: Path) -> None:
    """Write the trace with its events `times` over."""
    opening = b'"traceEvents": ['
    start, end = text.index(opening) + len(opening), text.rindex(b"]")
    with path.open("wb") as file:
        file.write(text[:end])
        for _ in range(times - 1):
            file.write(b",")
            file.write(text[start:end])
        file.write(text[end:])


def say(what: str, ratio: float, aim: float, detail: str) -> None:
    print(f"{what:<58} {ratio:6.3f}   aim ≤ {aim:<5} {'met' if ratio <= aim else 'NOT MET'}   {detail}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace", nargs="?", type=Path, default=DEFAULT, help="a .json.gz trace")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--skip-tenfold", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        plain, tenfold = Path(folder) / "trace.json", Path(folder) / "tenfold.json"
        text = gzip.decompress(options.trace.read_bytes())
        plain.write_bytes(text)
        cases = {
            "json": ("orjson.loads", plain),
            "ours": ("read_trace", plain),
            "events": ("read_events", plain),
            "gz": ("read_trace", options.trace),
            "gunzip": ("decompress", options.trace),
            "nothing": ("nothing", plain),
        }
        costs = compare(cases, options.rounds)
        if not options.skip_tenfold:
            repeat_events(text, 10, tenfold)
            # As many rounds as for the others: the best of five against a single one compares luck.
            costs |= compare({"tenfold": ("read_trace", tenfold)}, options.rounds)
    report(len(text) / 2**20, costs)


def report(mib: float, costs: dict[str, Cost]) -> None:
    json, ours, nothing = costs["json"], costs["ours"], costs["nothing"]
    print(f"{mib:.0f} MiB of text; bare interpreter with the reader imported: {nothing.peak_mib:.1f} MiB\n")
    seconds = f"{ours.seconds:.3f} s / {json.seconds:.3f} s, of which events {costs['events'].seconds:.3f} s"
    say("time to launches / orjson.loads", ours.seconds / json.seconds, 0.4, seconds)
    peaks = f"{ours.peak_mib:.1f} / {json.peak_mib:.1f} MiB"
    say("peak memory to launches / orjson.loads", ours.peak_mib / json.peak_mib, 0.35, peaks)
    gz, gunzip = costs["gz"], costs["gunzip"]
    say("gz to launches / decompressing it with igzip", gz.seconds / gunzip.seconds, 2.2,
        f"{gz.seconds:.3f} s / {gunzip.seconds:.3f} s; plain text {ours.seconds:.3f} s")  # fmt: skip
    if tenfold := costs.get("tenfold"):
        say("tenfold events, time", tenfold.seconds / ours.seconds, 10.5, f"{tenfold.seconds:.2f} s")
        say(
            "tenfold events, peak memory",
            tenfold.peak_mib / ours.peak_mib,
            1.3,
            f"{tenfold.peak_mib:.1f} MiB",
        )
        say("tenfold events, peak memory in MiB", tenfold.peak_mib, 250, "")


if __name__ == "__main__":
    main()
