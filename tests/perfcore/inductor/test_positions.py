"""Lines and UTF-16 columns as the language server protocol counts them, byte offsets as problems give them."""

from __future__ import annotations

from perfcore.inductor import Span, read_inductor_file
from perfcore.inductor.positions import TextPositions
from tests.ground_truth import CORPUS

WRAPPER = (CORPUS / "2.13.0/transformer_block_bf16/output_code.py").read_text()
SWIGLU = "triton_poi_fused__unsafe_view_mul_silu_2"


def text_at(text: str, span: Span) -> str:
    """What an editor shows at a span within one line."""
    assert span.start_line == span.end_line
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    line = lines[span.start_line].encode("utf-16-le", "surrogatepass")
    return line[span.start_column * 2 : span.end_column * 2].decode("utf-16-le", "surrogatepass")


def check_spans(text: str) -> None:
    file = read_inductor_file("output_code.py", text)
    assert len(file.kernels) == len(file.call_sites) == 4
    for kernel in file.kernels:
        assert text_at(text, kernel.name_span) == kernel.def_name
        assert text_at(text, kernel.def_span).startswith(f"def {kernel.def_name}(")
        assert text_at(text, kernel.def_span).endswith("):")
        assert kernel.path_span is not None
        assert text_at(text, kernel.path_span) == kernel.kernel_path
        own_lines = kernel.text.split("\n")
        assert own_lines[kernel.line - kernel.text_line].startswith(f"def {kernel.def_name}(")
    for site in file.call_sites:
        assert text_at(text, site.span).startswith(f"{site.kernel}.run(")
        assert site.comment_span is not None
        assert "Original ATen" in text_at(text, site.comment_span)


def test_plain() -> None:
    check_spans(WRAPPER)


def test_line_breaks_of_every_system() -> None:
    check_spans(WRAPPER.replace("\n", "\r\n"))
    check_spans(WRAPPER.replace("\n", "\r"))
    half = len(WRAPPER) // 2
    check_spans(WRAPPER[:half].replace("\n", "\r\n") + WRAPPER[half:])


def test_characters_that_python_takes_for_line_breaks_are_none() -> None:
    for character in ("\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c"):
        check_spans(WRAPPER.replace("# Source node to ATen", f"# Source{character}node to ATen"))


def test_columns_count_utf_16_units() -> None:
    """Before a path: an emoji (two units), an accent (one), a CJK character (one)."""
    check_spans(WRAPPER.replace("# kernel path: /tmp/", "# kernel path: /tmp/🚀é漢/"))
    text = WRAPPER.replace("            triton_poi", "            '🚀'; triton_poi")
    (site,) = [site for site in read_inductor_file("", text).call_sites if site.kernel == SWIGLU]
    assert text_at(text, site.span).startswith(f"{SWIGLU}.run(")


def test_byte_offsets_are_those_of_the_text_as_it_was_given() -> None:
    broken = WRAPPER.replace("# AOT ID", "# 🚀é AOT ID").replace("'x': 268435456", "'x': ]")
    for text in (broken, broken.replace("\n", "\r\n")):
        (problem,) = read_inductor_file("", text).problems
        assert problem.offset is not None
        following = text.encode()[problem.offset :]
        assert following.startswith(b"    size_hints={'x': ]")


def test_escaped_quotes_and_backslashes_leave_the_lines_where_they_are() -> None:
    docstring = "    \\'\\'\\' Scales: C:\\\\temp\\\\new \"twice\" \\'\\'\\'\n"
    text = WRAPPER.replace("    xnumel = 268435456\n", docstring + "    xnumel = 268435456\n")
    check_spans(text)
    kernel = read_inductor_file("", text).kernels[2]
    assert kernel.numels == (("x", 268435456),)
    assert "    ''' Scales: C:\\temp\\new \"twice\" '''\n" in kernel.text


def test_every_index_of_a_mixed_text() -> None:
    text = "a🚀\r\né\rb\n\u2028c"
    positions = TextPositions(text)
    assert positions.text == "a🚀\né\nb\n\u2028c"
    assert [positions.line_and_column(index) for index in range(len(positions.text))] == [
        (0, 0), (0, 1), (0, 3), (1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1),
    ]  # fmt: skip
    assert [positions.byte_offset(index) for index in range(len(positions.text))] == [
        0, 1, 5, 7, 9, 10, 11, 12, 15,
    ]  # fmt: skip
