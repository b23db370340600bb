"""Whatever the text, reading it raises nothing, and damage to one kernel changes no other."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perfcore.inductor import InductorFile, KernelSource, read_inductor_file
from tests.ground_truth import CORPUS

pytestmark = pytest.mark.filterwarnings("ignore:invalid:SyntaxWarning", "ignore:invalid:DeprecationWarning")

PATHS = [
    CORPUS / version / model / "output_code.py"
    for version in ("2.4.1", "2.7.1", "2.12.1", "2.13.0")
    for model in ("transformer_block_bf16", "multi_kernel", "user_triton_autotuned", "cumsum_scan")
]
WRAPPERS = [path.read_text() for path in PATHS]
SINGLES = [
    path.read_text()
    for version in ("2.4.1", "2.13.0")
    for path in sorted((CORPUS / version / "foreach_add/cache").rglob("*.py"))
]
FRAGMENTS = [
    "async_compile.triton('k', '''",
    "\nk = async_compile.triton(",
    "'''",
    '"""',
    "''', device_str='cuda')",
    "@triton_heuristics.pointwise(\n",
    "@triton.jit\n",
    "\ndef k(in_ptr0, xnumel, XBLOCK : tl.constexpr):\n",
    "size_hints={'x': 1024},",
    "triton_meta={'signature': {0: '*fp32'}}",
    "k.run(arg0_1, 1024, stream=stream0)",
    "multi_kernel_0.run(",
    "assert_size_stride(arg0_1, (1, 2), (2, 1))",
    "buf0 = buf1; del buf1  # reuse",
    "buf0 = reinterpret_tensor(buf0, (8, ), (1, ), 0)",
    "buf0 = empty_strided_cuda((s0, 2), (2, 1), torch.float32)",
    "# Topologically Sorted Source Nodes: [a, b], Original ATen: [aten.add]",
    "# kernel path: /tmp/x/c.py",
    "\n",
    "\r\n",
    "\r",
    "    ",
    "\\",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    "#",
    "\0",
    "\u2028",
    "🚀",
    "\ud800",
]
ANY_CHARACTER = st.characters(blacklist_categories=())

few = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@few
@given(st.text(ANY_CHARACTER))
def test_any_text(text: str) -> None:
    read_inductor_file("any.py", text)


@few
@given(st.lists(st.sampled_from(FRAGMENTS) | st.text(ANY_CHARACTER, max_size=8), max_size=60))
def test_any_text_of_the_words_that_matter(parts: list[str]) -> None:
    check_positions("".join(parts))


@few
@given(st.sampled_from(WRAPPERS + SINGLES), st.data())
def test_a_real_file_cut_anywhere(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)) | st.just(0))
    check_positions(text[start : data.draw(st.integers(start, len(text)))])


@few
@given(st.sampled_from(SINGLES), st.data())
def test_a_damaged_single_kernel(text: str, data: st.DataObject) -> None:
    check_positions(damaged(text, 0, len(text), data))


@few
@given(st.sampled_from(WRAPPERS), st.data())
def test_damage_within_one_kernel_changes_no_other(text: str, data: st.DataObject) -> None:
    whole = read_inductor_file("output_code.py", text)
    kernel = data.draw(st.sampled_from(whole.kernels))
    start = text.index(f"{kernel.variable} = async_compile")
    first_line = text.index("\n", start) + 1
    end = text.index("\n''', device_str", start)
    changed = read_inductor_file("output_code.py", damaged(text, first_line, end, data))
    assert facts(changed, kernel) == facts(whole, kernel)
    assert len(changed.call_sites) == len(whole.call_sites)
    for now, before in zip(changed.call_sites, whole.call_sites, strict=True):
        assert now.kernel == before.kernel
        if kernel.name not in before.kernels:
            assert (now.kernels, now.args, now.shapes) == (before.kernels, before.args, before.shapes)


def damaged(text: str, start: int, end: int, data: st.DataObject) -> str:
    """Up to three places in `text[start:end]` replaced by something else. Not by another kernel's definition:
    that would be one."""
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(start, end))
        length = data.draw(st.integers(0, min(40, end - at)))
        new = data.draw(st.sampled_from(FRAGMENTS) | st.text(ANY_CHARACTER, max_size=8))
        if "async_compile" in new:
            continue
        text = text[:at] + new + text[at + length :]
        end += len(new) - length
    return text


def facts(file: InductorFile, without: KernelSource) -> list[object]:
    return [
        (
            k.name,
            k.def_name,
            k.category,
            k.params,
            k.signature,
            k.size_hints,
            k.numels,
            k.original_aten,
            k.text,
        )
        for k in file.kernels
        if k.variable != without.variable
    ]


def check_positions(text: str) -> None:
    """Every span lies within the text, in order."""
    file = read_inductor_file("any.py", text)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    spans = [
        span
        for kernel in file.kernels
        for span in (kernel.def_span, kernel.name_span, kernel.path_span)
        if span
    ]
    spans += [span for site in file.call_sites for span in (site.span, site.comment_span) if span]
    for span in spans:
        assert (span.start_line, span.start_column) <= (span.end_line, span.end_column)
        assert span.end_line < len(lines)
        last = lines[span.end_line].encode("utf-16-le", "surrogatepass")
        assert span.end_column * 2 <= len(last)
    size = len(text.encode("utf-8", "surrogatepass"))
    assert all(problem.offset is None or 0 <= problem.offset <= size for problem in file.problems)
