"""A wrapper that is being edited, cut off or hostile: what is broken costs itself, and says where."""

from __future__ import annotations

import pytest

from perfcore.inductor import InductorFile, read_inductor_file
from perfcore.inductor.model import KernelSource
from tests.ground_truth import CORPUS

WRAPPER = (CORPUS / "2.13.0/transformer_block_bf16/output_code.py").read_text()
RMS_NORM, RMS_NORM_2, SWIGLU, ADD = (
    "triton_red_fused_add_mean_mul_pow_rsqrt_0",
    "triton_red_fused__unsafe_view_add_mean_mul_pow_rsqrt_1",
    "triton_poi_fused__unsafe_view_mul_silu_2",
    "triton_poi_fused__unsafe_view_add_3",
)
ALL = [RMS_NORM, RMS_NORM_2, SWIGLU, ADD]


def read(text: str) -> InductorFile:
    return read_inductor_file("output_code.py", text)


def names(file: InductorFile) -> list[str]:
    return [kernel.name for kernel in file.kernels]


def replace_in(kernel: str, old: str, new: str) -> str:
    """WRAPPER with the first `old` after the definition of `kernel` replaced."""
    start = WRAPPER.index(f"{kernel} = async_compile")
    at = WRAPPER.index(old, start)
    return WRAPPER[:at] + new + WRAPPER[at + len(old) :]


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


def test_a_broken_decorator_costs_one_kernel_and_says_the_line() -> None:
    text = replace_in(RMS_NORM_2, "size_hints={'x': 32768", "size_hints={'x': ]32768")
    file = read(text)
    assert names(file) == [RMS_NORM, SWIGLU, ADD]
    (problem,) = file.problems
    assert problem.code == "kernel-unreadable"
    assert RMS_NORM_2 in problem.message
    assert f"line {line_of(text, ']32768')}" in problem.message
    assert problem.offset == text.rindex("\n", 0, text.index("]32768")) + 1
    assert [site.kernel for site in file.call_sites] == ALL


def test_a_broken_header_costs_one_kernel() -> None:
    text = replace_in(SWIGLU, f"def {SWIGLU}(", f"def {SWIGLU}((")
    assert names(read(text)) == [RMS_NORM, RMS_NORM_2, ADD]
    assert len(read(text).problems) == 1


def test_a_header_that_is_gone_costs_one_kernel() -> None:
    assert names(read(replace_in(SWIGLU, f"def {SWIGLU}(", "eh?("))) == [RMS_NORM, RMS_NORM_2, ADD]


def test_a_body_being_edited_keeps_its_kernel() -> None:
    """Its figures from the head stand; whoever reads the body says what is wrong there."""
    file = read(replace_in(RMS_NORM, "tmp0 = tl.load(", "tmp0 = tl.load(("))
    assert names(file) == ALL
    assert file.problems == ()


@pytest.mark.parametrize("broken", [RMS_NORM, RMS_NORM_2, SWIGLU, ADD])
def test_closing_quotes_that_are_missing_cost_nothing_and_are_said(broken: str) -> None:
    file = read(replace_in(broken, "''', device_str='cuda')", "', device_str='cuda')"))
    assert names(file) == ALL
    assert [problem.code for problem in file.problems] == ["kernel-unreadable"]
    assert broken in file.problems[0].message
    assert [site.kernel for site in file.call_sites] == ALL
    assert all(site.shapes[0] for site in file.call_sites)


@pytest.mark.parametrize("broken", ALL)
def test_quotes_too_many_cost_one_kernel_at_most(broken: str) -> None:
    file = read(replace_in(broken, "xoffset =", "'''\n    xoffset ="))
    assert [name for name in ALL if name != broken] == [name for name in names(file) if name != broken]
    assert [site.kernel for site in file.call_sites] == ALL


def test_opening_quotes_that_are_missing_cost_one_kernel() -> None:
    file = read(
        WRAPPER.replace(f"async_compile.triton('{SWIGLU}', '''", f"async_compile.triton('{SWIGLU}', ")
    )
    assert names(file) == [RMS_NORM, RMS_NORM_2, ADD]
    assert len(file.problems) == 1


def test_a_file_that_ends_anywhere_keeps_the_kernels_before() -> None:
    whole = read(WRAPPER).kernels
    for end in range(0, len(WRAPPER), 997):
        kept = read(WRAPPER[:end]).kernels
        before = sum(WRAPPER.index("''', device_str", kernel_start(kernel)) + 3 <= end for kernel in whole)
        assert kept[:before] == whole[:before]
        assert len(kept) <= before + 1


def kernel_start(kernel: KernelSource) -> int:
    return WRAPPER.index(f"{kernel.name} = async_compile")


def test_a_call_that_is_not_closed_costs_itself() -> None:
    old = f"{RMS_NORM_2}.run(arg0_1, buf11, arg6_1, buf13, 32768, 2048, stream=raw_stream0)"
    assert old in WRAPPER
    file = read(WRAPPER.replace(old, f"{RMS_NORM_2}.run(arg0_1, buf11, "))
    assert {RMS_NORM, SWIGLU, ADD} <= {site.kernel for site in file.call_sites}


def test_the_last_kernel_without_closing_quotes_ends_before_the_partitions_that_call_it() -> None:
    call = "def partition_0(args):\n    buf0 = empty_strided_cuda((8, ), (1, ), torch.float32)\n    {0}.run(buf0, 8)\n"
    text = replace_in(ADD, "''', device_str='cuda')", "\n" + call.format(ADD))
    assert names(read(text)) == ALL
    assert read(text).call_sites[0].kernel == ADD


def test_gigantic_numbers_and_deep_nesting_end_in_a_problem() -> None:
    for bomb in ("9" * 100_000, "[" * 5_000, "-" * 20_000 + "1", "(" * 150 + ")" * 150, "a" + ".b" * 50_000):
        file = read(replace_in(SWIGLU, "'x': 268435456", f"'x': {bomb}"))
        assert [name for name in names(file) if name != SWIGLU] == [RMS_NORM, RMS_NORM_2, ADD]


def test_nul_bytes_and_lone_surrogates_end_in_a_problem_or_nothing() -> None:
    for character in ("\0", "\ud800", "\ufeff", "\x0c", "\u2028"):
        file = read(replace_in(SWIGLU, "filename=__file__", f"filename={character}__file__"))
        assert [name for name in names(file) if name != SWIGLU] == [RMS_NORM, RMS_NORM_2, ADD]


def test_a_decorator_that_calls_what_nobody_knows_is_read_not_run() -> None:
    text = replace_in(SWIGLU, "filename=__file__", "filename=__import__('os').system('echo run > /tmp/run')")
    assert names(read(text)) == ALL


def test_many_broken_kernels_end_in_a_hundred_problems_and_a_count() -> None:
    definition = "k{0} = async_compile.triton('k', '''\n@triton_heuristics.pointwise(\n''')\n\n"
    file = read("".join(definition.format(number) for number in range(250)))
    assert len(file.problems) == 101
    assert file.problems[-1].message.startswith("150 more kernels")


def test_other_files_are_neither_wrapper_nor_kernel() -> None:
    for text in ("", "\n", "import torch\n", "print('async_compile.triton(')", WRAPPER[:300]):
        file = read(text)
        assert (file.kind, file.kernels, file.call_sites, file.problems) == ("other", (), (), ())


def test_a_wrapper_without_kernels_is_a_wrapper() -> None:
    assert read("async_compile = AsyncCompile()\n\ndef call(args):\n    return ()\n").kind == "wrapper"
