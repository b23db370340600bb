"""Numbers as people read them, and names that cannot become Markdown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from inductor_lens import wording
from perfcore.counted import counted

NAMES = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=80)


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (wording.bandwidth(3.1874), "3.19 TB/s"),
        (wording.bandwidth(0.0123), "12.3 GB/s"),
        (wording.bandwidth(None), "–"),
        (wording.percent(60.14), "60 %"),
        (wording.percent(0.31), "0.3 %"),
        (wording.change(12.3), "+12 %"),
        (wording.change(-30.4), "−30 %"),
        (wording.change(0.2), "±0 %"),
        (wording.megabytes(1_610_612_736), "1,536 MB"),
        (wording.megabytes(268_439_552), "256 MB"),
        (wording.megabytes(16_777_216), "16 MB"),
        (wording.megabytes(11_544), "11.3 KB"),
        (wording.megabytes(12), "12 B"),
        (wording.exact_megabytes(268_439_552), "256.004"),
        (wording.exact_megabytes(1_610_612_736), "1,536"),
        (wording.exact_megabytes(4), "<0.001"),
        (wording.gigaflop(1_342_177_280), "1.342 GFLOP"),
        (wording.gigaflop(67_108_864), "0.067 GFLOP"),
        (wording.gflops_number(3_584), "3.58e-6"),
        (wording.gflops_number(0), "0"),
        (wording.duration(505.3), "505.3 µs"),
        (wording.duration(79.4), "79.4 µs"),
        (wording.duration(77.074), "77.07 µs"),
        (wording.duration(12_345.6), "12.35 ms"),
        (wording.exact_us(77.074), "77.074"),
        (counted(1, "launch"), "1 launch"),
        (counted(3796, "launch"), "3,796 launches"),
    ],
)
def test_numbers(shown: str, expected: str) -> None:
    assert shown == expected


def test_a_name_shows_and_does_nothing_else() -> None:
    assert wording.markdown("a*b_[x](command:rm)<img>") == r"a\*b\_\[x\](command:rm)\<img\>"
    assert wording.markdown_code("a`b|c") == r"``a`b\|c``"


def rendered(markdown: str) -> list[tuple[str, str]]:
    """What a Markdown renderer makes of an inline text: (kind, content) of each piece."""
    (inline,) = MarkdownIt("commonmark").enable("strikethrough").parseInline(markdown)
    return [(token.type, token.content) for token in inline.children or ()]


@given(NAMES)
def test_no_text_is_anything_but_text(text: str) -> None:
    pieces = rendered(wording.markdown(text))
    assert {kind for kind, _ in pieces} <= {"text"}
    assert "".join(content for _, content in pieces) == " ".join(text.split())


@given(NAMES.filter(str.strip))
def test_a_code_span_holds_its_text_together(text: str) -> None:
    ((kind, content),) = rendered(wording.markdown_code(text))
    assert kind == "code_inline"
    assert content.strip() == " ".join(text.split()).replace("|", "\\|")
