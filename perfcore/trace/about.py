"""What a trace says about itself besides its events: devices, versions, whether shapes were recorded."""

from __future__ import annotations

from typing import Any

from perfcore.trace.events import TraceEvents
from perfcore.trace.model import DeviceProperties

_LONGEST_HINT = 200
_MOST_HINTS = 64


def devices(keys: dict[str, Any]) -> tuple[DeviceProperties, ...]:
    """Kineto's `deviceProperties` (libkineto/src/output_json.cpp writes `id` and `name`)."""
    entries = keys.get("deviceProperties")
    if not isinstance(entries, list):
        return ()
    return tuple(
        DeviceProperties(
            index=entry["id"] if isinstance(entry.get("id"), int) else place,
            name=entry["name"].strip() if isinstance(entry.get("name"), str) else "",
        )
        for place, entry in enumerate(entries)
        if isinstance(entry, dict)
    )


def host(keys: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """Every short scalar around the events, such as ("cuda_runtime_version", "12090"), in the file's order;
    of `distributedInfo`, `rank` and `world_size`."""
    hints = {key: value for key, value in keys.items() if isinstance(value, (str, int, float))}
    distributed = keys.get("distributedInfo")
    if isinstance(distributed, dict):
        hints |= {
            key: distributed[key] for key in ("rank", "world_size") if isinstance(distributed.get(key), int)
        }
    return tuple(
        (key, str(value))
        for key, value in list(hints.items())[:_MOST_HINTS]
        if len(str(value)) <= _LONGEST_HINT
    )


def record_shapes(keys: dict[str, Any], op_count: int, saw_shapes: bool) -> bool | None:
    """Whether shapes were recorded. Kineto writes `record_shapes: 1` since PyTorch 2.2 and nothing when it is
    off; then the cpu_ops tell. None when there is nothing to tell by."""
    if saw_shapes or keys.get("record_shapes"):
        return True
    if "record_shapes" in keys or op_count:
        return False
    return None


def processes(events: TraceEvents) -> tuple[str, ...]:
    """The pids of what ran on CPUs: the kernels' `pid` is a device."""
    threads = {op.thread for op in events.ops} | set(events.calls.thread)
    return tuple(sorted({events.threads[thread][0] for thread in threads}))
