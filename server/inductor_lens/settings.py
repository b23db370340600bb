"""The settings under `inductorLens.*`: read from whatever JSON a client sends, each value by itself.

A value of the wrong kind costs only itself: it keeps its default and leaves a complaint.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

from inductor_lens.documents import can_be_path

T = TypeVar("T")

SECTION = "inductorLens"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user chose. Paths are as written: relative to a workspace folder, with `~` or globs.

    A kernel is flagged as low-bandwidth below `low_peak_percent` of the device's peak (percent), and only
    when its launches together take at least `low_min_time_us` (microseconds) and `low_min_time_share`
    (percent of all Triton time in the trace).
    """

    traces: tuple[str, ...] = ()
    capture_traces: tuple[str, ...] = ()
    inductor_cache_dirs: tuple[str, ...] = ()
    path_mappings: tuple[tuple[str, str], ...] = ()
    device: str | None = None
    peak_bandwidth: float | None = None
    low_peak_percent: float = 50.0
    low_min_time_us: float = 10.0
    low_min_time_share: float = 1.0
    code_lens: bool = True
    inlay_hints: bool = True
    diagnostics: bool = True
    ignore_kernels: tuple[str, ...] = ()
    complaints: tuple[str, ...] = field(default=(), compare=False)


def read_settings(value: object, base: Settings | None = None) -> Settings:
    """The settings in `value`, over `base`: nested or with dotted keys, with or without `inductorLens`."""
    flat = dict(_flatten(value, ""))
    settings = Settings() if base is None else base
    complaints: list[str] = []
    found: dict[str, Any] = {}
    for key, (name, read) in _READERS.items():
        if key not in flat:
            continue
        given = flat[key]
        if given is None:
            found[name] = _DEFAULTS[name]
            continue
        try:
            found[name] = read(given)
        except (TypeError, ValueError) as error:
            complaints.append(f"Setting {SECTION}.{key} is ignored: {error}.")
    return replace(settings, **found, complaints=tuple(complaints))


def _flatten(value: object, prefix: str) -> list[tuple[str, object]]:
    pairs: list[tuple[str, object]] = []
    if isinstance(value, dict):
        for key, inner in value.items():
            name = f"{prefix}{key}".removeprefix(f"{SECTION}.")
            if name == SECTION:
                pairs += _flatten(inner, "")
            elif isinstance(inner, dict) and name not in _READERS and name.count(".") < 3:
                pairs += _flatten(inner, f"{name}.")
            else:
                pairs.append((name, inner))
    return pairs


def _strings(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,) if value else ()
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise TypeError("a list of strings is wanted")


def _paths(value: object) -> tuple[str, ...]:
    paths = _strings(value)
    if all(map(can_be_path, paths)):
        return paths
    raise ValueError("no path holds a NUL or half a surrogate pair")


def _mappings(value: object) -> tuple[tuple[str, str], ...]:
    if isinstance(value, dict) and all(isinstance(item, str) for item in value.values()):
        return tuple(value.items())
    if isinstance(value, list):
        return tuple((item["from"], item["to"]) for item in value if _is_mapping(item))
    raise TypeError('an object of "path in the trace": "path here" is wanted')


def _is_mapping(item: object) -> bool:
    if isinstance(item, dict) and isinstance(item.get("from"), str) and isinstance(item.get("to"), str):
        return True
    raise TypeError('each mapping wants "from" and "to"')


def _name(value: object) -> str | None:
    if isinstance(value, str):
        return value.strip() or None
    raise TypeError("a string is wanted")


def _number(low: float, high: float) -> Callable[[object], float]:
    def read(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError("a number is wanted")
        if not low <= value <= high:
            raise ValueError(f"a number from {low:g} to {high:g} is wanted")
        return float(value)

    return read


def _peak(value: object) -> float | None:
    return _number(0, 1e6)(value) or None


def _switch(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise TypeError("true or false is wanted")


_READERS: dict[str, tuple[str, Callable[[object], Any]]] = {
    "traces": ("traces", _paths),
    "captureTraces": ("capture_traces", _paths),
    "inductorCacheDirs": ("inductor_cache_dirs", _paths),
    "pathMappings": ("path_mappings", _mappings),
    "device": ("device", _name),
    "peakBandwidth": ("peak_bandwidth", _peak),
    "lowBandwidth.peakPercent": ("low_peak_percent", _number(0, 100)),
    "lowBandwidth.minTimeUs": ("low_min_time_us", _number(0, 1e12)),
    "lowBandwidth.minTimeShare": ("low_min_time_share", _number(0, 100)),
    "codeLens": ("code_lens", _switch),
    "inlayHints": ("inlay_hints", _switch),
    "diagnostics": ("diagnostics", _switch),
    "ignoreKernels": ("ignore_kernels", _strings),
}
_DEFAULTS = {item.name: item.default for item in fields(Settings)}
