"""What is wrong with one trace's text, collected while it is read and said once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from perfcore.counted import counted
from perfcore.problem import Problem

_KINDS_NAMED = 3


@dataclass(slots=True)
class Damage:
    """`lost` events could not be read, `mended` ones could, although their text is no JSON; `cut_at` is where a
    text ends that is not finished. Offsets are bytes of the (decompressed) text."""

    lost: int = 0
    mended: int = 0
    first_offset: int | None = None
    kinds: dict[str, None] = field(default_factory=dict)
    cut_at: int | None = None
    gave_up_at: int | None = None
    container: str | None = None

    @property
    def complete(self) -> bool:
        """Nothing is lost."""
        return not self.lost and self.cut_at is None and self.gave_up_at is None and self.container is None

    def lose(self, offset: int) -> None:
        """The event at `offset` is lost."""
        self.lost += 1
        self._at(offset)

    def mend(self, offset: int, kinds: Iterable[str]) -> None:
        """The text of one event, or of what stands between events, had to be mended."""
        self.mended += 1
        self.kinds.update(dict.fromkeys(kinds))
        self._at(offset)

    def cut(self, offset: int) -> None:
        """The text ends here, in the middle."""
        if self.cut_at is None and self.gave_up_at is None:
            self.cut_at = offset

    def give_up(self, offset: int) -> None:
        """Nothing that looks like an event for so long that the rest is not searched."""
        self.gave_up_at = offset
        self._at(offset)

    def _at(self, offset: int) -> None:
        if self.first_offset is None or offset < self.first_offset:
            self.first_offset = offset

    def problem(self, path: str) -> Problem | None:
        """All of it in one message, None when nothing is wrong."""
        said = []
        if self.container is not None:
            said.append(self.container)
        if self.cut_at is not None:
            said.append(
                f"its text ends in the middle, at byte {self.cut_at}, as it does when the process that writes it "
                "is killed"
            )
        if self.lost:
            said.append(
                f"{counted(self.lost, 'event')} could not be read and {'is' if self.lost == 1 else 'are'} lost"
            )
        if self.mended:
            kinds = list(self.kinds)
            named = ", ".join(kinds[:_KINDS_NAMED]) + (", …" if len(kinds) > _KINDS_NAMED else "")
            said.append(f"{counted(self.mended, 'place')} had to be mended ({named})")
        if self.gave_up_at is not None:
            said.append(f"nothing like an event follows byte {self.gave_up_at}, so the rest was not read")
        if not said:
            return None
        where = f" The first damage is at byte {self.first_offset}." if self.first_offset is not None else ""
        message = f"The trace is damaged: {'; '.join(said)}.{where} All that is whole is used."
        offset = self.first_offset if self.first_offset is not None else self.cut_at
        return Problem("trace-damaged", "warning", message, path, offset)
