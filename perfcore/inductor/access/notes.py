"""What a kernel's accesses teach: one sentence each, with a code that docs/rules.md explains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod
from typing import Final

from perfcore.inductor.access.footprint import Footprint, Footprints
from perfcore.inductor.access.model import Access, Traffic
from perfcore.problem import Note

SMALL_SHARE: Final = 0.1
"""A pointer with less than this share of the bytes is not worth a remark on how it is read."""

Touches = Mapping[str, Sequence[tuple[Access, Footprint]]]


def access_notes(
    footprints: Footprints,
    touches: Touches,
    traffic: Sequence[Traffic],
    shapes: Mapping[str, tuple[int, ...]],
) -> tuple[Note, ...]:
    """The notes on one kernel at given numels, those that cost time first."""
    total = sum(one.bytes_moved or 0 for one in traffic)
    large = {one.pointer for one in traffic if (one.bytes_moved or 0) >= SMALL_SHARE * total}
    found = [
        *_uncoalesced(footprints, touches, large),
        _note(
            "reads-input-twice",
            [pointer for pointer in touches if pointer in large and _is_read_twice(touches[pointer])],
            "{is} read again in a second loop over the reduction. It counts once, but what has left the cache by then is"
            " read from memory again.",
        ),
        _note(
            "gather",
            _pointers(touches, lambda access, found: found.gathers and access.kind == "read"),
            "{is} read at positions that are loaded themselves. The figure is the most that they can reach; repeated"
            " positions read less.",
        ),
        _note(
            "scatter",
            _pointers(touches, lambda access, found: found.gathers and access.kind != "read"),
            "{is} written at positions that are loaded themselves. The figure is the most that they can reach.",
        ),
        _note(
            "atomic",
            _pointers(touches, lambda access, _: access.kind == "atomic"),
            "{is} updated atomically: each element counts as read and written.",
        ),
        _note(
            "overlap",
            [pointer for pointer in touches if _overlaps(touches[pointer])],
            "{is} read by several loads that reach the same elements (windows, shifted rows). Each element counts once.",
        ),
        _note(
            "in-place",
            [
                t.pointer
                for t in traffic
                if t.read and t.written and not _is_atomic(touches.get(t.pointer, ()))
            ],
            "{is} read and written: counted both ways.",
        ),
        _note(
            "written-only",
            [t.pointer for t in traffic if t.pointer.startswith("in_out_ptr") and t.read == 0],
            "{is} only written, though the name says that its buffer is reused.",
        ),
        *_parts(touches, traffic, shapes),
        _note(
            "broadcast",
            [t.pointer for t in traffic if _is_broadcast(footprints, t, touches.get(t.pointer, ()))],
            "{is} smaller than the iteration space: each element counts once, however often it is read.",
        ),
        _note(
            "workspace",
            footprints.accesses.workspaces,
            "{carries} partial results from program to program. That depends on the launch grid and is not counted.",
        ),
        _note(
            "assumes-grid",
            _pointers(touches, lambda _, found: found.by_grid),
            "{is} counted as far as the masks let programs go: the launch grid is taken to cover all of it.",
        ),
    ]
    return tuple(note for note in found if note is not None)


def _pointers(touches: Touches, wanted: Callable[[Access, Footprint], bool]) -> list[str]:
    return [p for p, touched in touches.items() if any(wanted(access, found) for access, found in touched)]


def _note(code: str, pointers: Iterable[str], text: str) -> Note | None:
    names = list(pointers)
    if not names:
        return None
    shown = names[:3]
    if len(names) > 3:
        listed = f"{', '.join(shown)} and {len(names) - 3} more"
    else:
        listed = " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
    one = len(names) == 1
    return Note(
        code,
        text.replace("{is}", f"{listed} {'is' if one else 'are'}").replace(
            "{carries}", f"{listed} {'carries' if one else 'carry'}"
        ),
    )


def _uncoalesced(footprints: Footprints, touches: Touches, large: set[str]) -> list[Note]:
    """Threads that lie side by side should touch elements that lie side by side."""
    notes: list[Note] = []
    for pointer, touched in touches.items():
        # As many loads as a step is long fill it between them: a pooling window reads x, x + 1 in steps of 2.
        fill = len({access.index for access, _ in touched})
        for access, _ in touched if pointer in large else ():
            steps = {name: abs(step) for name, step in footprints.steps(access).items() if step}
            if steps and min(steps.values()) > fill:
                name, step = min(steps.items(), key=lambda item: item[1])
                size = f" ({step * access.element_bytes:,} bytes)" if access.element_bytes else ""
                verb = "read" if access.kind == "read" else "written"
                notes.append(
                    Note(
                        "uncoalesced",
                        f"{pointer} is {verb} in steps of {step:,} elements{size} from one {name} to the next: the"
                        " fastest-moving index is not the innermost stride, so much of each memory transaction is wasted.",
                    )
                )
                break
    return notes


def _is_read_twice(touched: Sequence[tuple[Access, Footprint]]) -> bool:
    seen: dict[object, int] = {}
    for access, found in touched:
        if access.kind == "read" and access.loop is not None:
            key = found.images if found.images is not None else access.index
            if seen.setdefault(key, access.loop) != access.loop:
                return True
    return False


def _overlaps(touched: Sequence[tuple[Access, Footprint]]) -> bool:
    """Whether different loads reach common elements: their spans do, and they are no parts of a whole side by side."""
    reads = {
        found.images for access, found in touched if access.kind == "read" and found.exact and found.images
    }
    if len(reads) < 2:
        return False
    alone = sum(sum(one.most for one in images) for images in reads)
    low = min(one.first for images in reads for one in images)
    high = max(one.first + one.span for images in reads for one in images)
    return alone > high - low + 1


def _is_atomic(touched: Sequence[tuple[Access, Footprint]]) -> bool:
    return any(access.kind == "atomic" for access, _ in touched)


def _parts(
    touches: Touches, traffic: Sequence[Traffic], shapes: Mapping[str, tuple[int, ...]]
) -> list[Note | None]:
    notes: list[Note | None] = []
    for one in traffic:
        whole = prod(shapes[one.pointer]) if one.pointer in shapes else None
        for count, verb in ((one.read, "read"), (one.written, "written")):
            if whole and count and count < whole:
                notes.append(
                    Note("slice", f"{one.pointer} is {verb} in part: {count:,} of {whole:,} elements.")
                )
    masked = [
        p for p, t in touches.items() if any(f.masked and not f.gathers and a.kind == "read" for a, f in t)
    ]
    notes.append(
        _note("masked", masked, "{is} read at part of the points only (padding, concatenation, a tail).")
    )
    return notes


def _is_broadcast(footprints: Footprints, one: Traffic, touched: Sequence[tuple[Access, Footprint]]) -> bool:
    if not one.read or not one.read_exact or one.written:
        return False
    points = [footprints.points(access) or 0 for access, found in touched if not found.masked]
    return bool(points) and 2 * one.read <= max(points)
