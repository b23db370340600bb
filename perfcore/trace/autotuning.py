"""Which launches ran only so that Inductor could choose a config.

Inductor times each config of a kernel (torch/_inductor/runtime/triton_heuristics.py, `benchmark_all_configs`)
and then launches the model's kernel with the best. Since PyTorch 2.7 these runs are cpu_ops like any other, with
the config in `kernel_kwargs`, `num_warps` and `num_stages`; before, they are kernels without a cpu_op. They are
no part of the model's time, and a cold cache makes them slower than the real ones.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby

from perfcore.trace.events import OpEvent
from perfcore.trace.kernel_rows import KernelRows
from perfcore.trace.op_links import OpLinks

_FEWEST_RUNS = 5
"""Inductor's and Triton's benchmarks time a callable at least five times."""


def benchmarked_ops(links: OpLinks) -> set[int]:
    """Positions in `links.ops` of benchmark runs.

    The evidence: on one thread the same kernel (name, source, shapes, scalars) is launched several times with no
    other Triton launch between, each config in one unbroken series, and there are three configs or more, or
    two of which the first ran at least five times. A launch site of a model has one config, so all of that is a
    benchmark, but for the launch it was made for: the series at the end that returns to an earlier config, or
    else what the last series has more than the longest before it (at least its last run).
    """
    by_thread: defaultdict[int, list[int]] = defaultdict(list)
    for number, op in enumerate(links.ops):
        by_thread[op.thread].append(number)
    found: set[int] = set()
    for numbers in by_thread.values():
        for _, named in groupby(numbers, key=lambda number: links.ops[number].name):
            run = list(named)
            if len(run) > 1:
                for _, group in groupby(run, key=lambda number: _site(links.ops[number])):
                    found.update(_benchmark(links.ops, list(group)))
    return found


def _site(op: OpEvent) -> tuple[object, ...]:
    args = op.args
    return (
        op.name,
        args.kernel_hash,
        args.kernel_file,
        args.input_dims,
        args.input_types,
        args.concrete_inputs,
    )


def _config(op: OpEvent) -> tuple[object, ...]:
    return (op.args.kernel_kwargs, op.args.num_warps, op.args.num_stages)


def _benchmark(ops: Sequence[OpEvent], run: list[int]) -> list[int]:
    if len(run) < 3:
        return []
    series = [list(group) for _, group in groupby(run, key=lambda number: _config(ops[number]))]
    configs = [_config(ops[numbers[0]]) for numbers in series]
    returns = configs[-1] in configs[:-1]
    timed = series[:-1] if returns else series
    distinct = set(configs)
    enough = len(distinct) > 2 or (len(distinct) == 2 and len(series[0]) >= _FEWEST_RUNS)
    if not enough or len(timed) != len(distinct):
        return []
    if returns:
        return [number for numbers in timed for number in numbers]
    longest = max(map(len, series[:-1]))
    last = series[-1][: min(len(series[-1]) - 1, longest)]
    return [number for numbers in series[:-1] for number in numbers] + last


def benchmarked_kernels(rows: KernelRows, links: OpLinks, loose: Sequence[int]) -> set[int]:
    """Kernels without a cpu_op that are benchmark runs.

    The evidence: the trace has executed cpu_ops of the very kernel, so launches of the model are recorded as such;
    at least five calls launched this one without a cpu_op, one after the other, before the first of those ops did.
    """
    first: dict[str, int] = {}
    for kernels in links.kernels:
        for row in kernels.rows[:1]:
            first.setdefault(rows.functions[row], rows.columns.ts_ns[row])
    found: set[int] = set()
    for function, group in groupby(filter(rows.is_called, loose), key=rows.functions.__getitem__):
        run = [row for row in group if rows.columns.ts_ns[row] < first.get(function, 0)]
        if len({rows.columns.correlation[row] for row in run}) >= _FEWEST_RUNS:
            found.update(run)
    return found
