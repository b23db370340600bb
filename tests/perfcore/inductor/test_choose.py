"""Which source a launch ran."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from msgspec import structs

from perfcore.dtypes import is_pointer
from perfcore.inductor import read_inductor_file
from perfcore.inductor.cache import SourceIndex
from perfcore.inductor.choose import choose_source, distinct, fits
from perfcore.trace.model import LaunchArgs
from tests.ground_truth import CORPUS

BLOCK = CORPUS / "2.13.0/transformer_block_bf16"
RMS_NORM = "triton_red_fused_add_mean_mul_pow_rsqrt_0"
RMS_NORM_HASH = "cdhgiqet2rb44r7b5rf4pn6g3z5jyvs435vi2qsiwjknnmv42nzd"
ARGS = LaunchArgs(
    input_dims=((8, 4096, 2048), (2048,), (8, 4096, 2048), (), ()),
    input_types=("c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "Scalar", "Scalar"),
    concrete_inputs=("", "", "", "32768", "2048"),
)


def index_of(*paths: Path) -> SourceIndex:
    index = SourceIndex()
    for path in paths:
        index.add_directory(path, given=True) if path.is_dir() else index.add_file(path)
    return index


def codes(choice_notes: tuple[object, ...]) -> list[str]:
    return [note.code for note in choice_notes]  # type: ignore[attr-defined]


def test_by_the_content_hash_in_kernel_file() -> None:
    args = structs.replace(ARGS, kernel_file=f"/tmp/torchinductor_root/dh/{RMS_NORM_HASH}.py")
    choice = choose_source(args, "another_name", index_of(BLOCK))
    assert choice.how == "kernel-file"
    assert [kernel.content_hash for kernel in choice.candidates] == [RMS_NORM_HASH]
    assert [Path(place.path).name for place in choice.places] == [
        f"{RMS_NORM_HASH}.py",
        "c4udaehq3pi5gqqxpskmmb4ytickrtpnwovx5ndxgzwucyfvtqrs.py",
        "output_code.py",
    ]
    assert choice.notes == ()


def test_by_kernel_hash_where_the_file_name_is_no_hash() -> None:
    args = structs.replace(ARGS, kernel_file="/home/me/kernel.py", kernel_hash=RMS_NORM_HASH)
    choice = choose_source(args, RMS_NORM, index_of(BLOCK))
    assert choice.how == "kernel-hash"
    assert [kernel.content_hash for kernel in choice.candidates] == [RMS_NORM_HASH]


def test_by_name_when_the_trace_has_no_hash_and_equal_kernels_count_as_one() -> None:
    """BLOCK holds this kernel as it is, with unique names off, and with bandwidth profiling on: one body."""
    choice = choose_source(ARGS, RMS_NORM, index_of(BLOCK))
    assert choice.how == "name"
    assert len(choice.candidates) == 1
    assert len(choice.places) == 3
    assert choice.notes == ()


def test_a_hash_that_is_nowhere_here_falls_back_to_the_name_and_says_so() -> None:
    args = structs.replace(
        ARGS, kernel_file="/tmp/torchinductor_root/mw/cmwjlpfu2kb4ehcuvblmjopjzi4rp4n2rtyqnvbbrb4xvqkksyqd.py"
    )
    choice = choose_source(args, RMS_NORM, index_of(BLOCK))
    assert len(choice.candidates) == 1
    assert codes(choice.notes) == ["source-by-name"]


def test_several_kernels_of_one_name_are_told_apart_by_their_arguments(tmp_path: Path) -> None:
    half = tmp_path / "half.py"
    text = (BLOCK / "output_code.py").read_text()
    half.write_text(text.replace("'*bf16'", "'*fp16'"))
    index = index_of(BLOCK / "output_code.py", half)
    choice = choose_source(ARGS, RMS_NORM, index)
    assert [Path(kernel.path).name for kernel in choice.candidates] == ["output_code.py"]
    halves = structs.replace(ARGS, input_types=("c10::Half", "c10::Half", "c10::Half", "Scalar", "Scalar"))
    assert [Path(kernel.path).name for kernel in choose_source(halves, RMS_NORM, index).candidates] == [
        "half.py"
    ]


def test_several_kernels_of_one_name_are_told_apart_by_constant_numels(tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.write_text((BLOCK / "output_code.py").read_text().replace("xnumel = 32768", "xnumel = 16384"))
    index = index_of(BLOCK / "output_code.py", other)
    assert len(choose_source(ARGS, RMS_NORM, index).candidates) == 1
    fewer = structs.replace(ARGS, concrete_inputs=("", "", "", "16384", "2048"))
    assert [Path(kernel.path).name for kernel in choose_source(fewer, RMS_NORM, index).candidates] == [
        "other.py"
    ]


def test_a_kernel_with_symbolic_sizes_is_told_apart_by_its_number_of_scalars() -> None:
    """transformer_block_dynamic's kernel of this name has `ks0` before the numels in 2.4."""
    index = index_of(CORPUS / "2.4.1/transformer_block_bf16", CORPUS / "2.4.1/transformer_block_dynamic")
    assert len(choose_source(None, RMS_NORM, index).candidates) == 2
    (static,) = choose_source(ARGS, RMS_NORM, index).candidates
    assert "ks0" not in static.params
    symbolic = structs.replace(
        ARGS,
        input_types=(*(ARGS.input_types or ()), "Scalar"),
        concrete_inputs=("", "", "", "1024", "8192", "1024"),
    )
    (dynamic,) = choose_source(symbolic, RMS_NORM, index).candidates
    assert "ks0" in dynamic.params


def test_a_launch_without_recorded_scalars_fits() -> None:
    bare = structs.replace(ARGS, input_types=ARGS.input_types[:3], concrete_inputs=("", "", ""))  # type: ignore[index]
    assert len(choose_source(bare, RMS_NORM, index_of(BLOCK / "output_code.py")).candidates) == 1


def test_without_arguments_several_are_all_offered_and_none_is_chosen(tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.write_text((BLOCK / "output_code.py").read_text().replace("xnumel = 32768", "xnumel = 16384"))
    choice = choose_source(None, RMS_NORM, index_of(BLOCK / "output_code.py", other))
    assert len(choice.candidates) == 2
    assert codes(choice.notes) == ["ambiguous-source"]


def test_a_name_whose_sources_all_have_other_arguments_is_left_without() -> None:
    more = structs.replace(
        ARGS, input_types=("c10::BFloat16",) * 4 + ("Scalar",), concrete_inputs=("",) * 4 + ("32768",)
    )
    choice = choose_source(more, RMS_NORM, index_of(BLOCK))
    assert choice.candidates == ()
    assert codes(choice.notes) == ["source-mismatch"]
    assert len(choice.places) == 3


def test_a_name_without_a_source() -> None:
    choice = choose_source(ARGS, "triton_poi_fused_nowhere_7", index_of(BLOCK))
    assert (choice.candidates, choice.how, choice.notes) == ((), "none", ())


def test_a_generic_name_is_settled_by_the_arguments() -> None:
    choice = choose_source(ARGS, "triton_", index_of(BLOCK / "nouniq"))
    assert [kernel.name for kernel in choice.candidates] == [RMS_NORM]


def test_a_file_that_was_edited_is_used_with_a_note(tmp_path: Path) -> None:
    shutil.copytree(BLOCK / "cache/dh", tmp_path / "dh")
    path = tmp_path / "dh" / f"{RMS_NORM_HASH}.py"
    path.write_text(path.read_text().replace("1e-06", "1e-05"))
    index = SourceIndex()
    index.add_directory(tmp_path)
    choice = choose_source(structs.replace(ARGS, kernel_file=str(path)), RMS_NORM, index)
    assert codes(choice.notes) == ["edited-source"]
    assert len(choice.candidates) == 1


def test_an_edited_file_is_not_taken_for_the_kernel_that_a_wrapper_still_holds(tmp_path: Path) -> None:
    shutil.copytree(BLOCK / "cache", tmp_path / "cache")
    path = tmp_path / "cache/dh" / f"{RMS_NORM_HASH}.py"
    path.write_text(path.read_text().replace("2048*x0", "4096*x0"))
    index = SourceIndex()
    index.add_directory(tmp_path / "cache")
    choice = choose_source(structs.replace(ARGS, kernel_file=str(path)), RMS_NORM, index)
    assert [(kernel.edited, kernel.variable) for kernel in choice.candidates] == [(False, RMS_NORM)]
    assert [place.edited for place in choice.places] == [True, False]
    assert choice.notes == ()
    by_name = choose_source(ARGS, RMS_NORM, index)
    assert {kernel.edited for kernel in by_name.candidates} == {True, False}
    assert codes(by_name.notes) == ["edited-source", "ambiguous-source"]


def test_every_call_in_the_corpus_fits_its_kernel_and_no_other_dtype() -> None:
    """The types that a trace would show, from the shapes in the wrapper."""
    spelled = {
        "torch.float32": "float",
        "torch.bfloat16": "c10::BFloat16",
        "torch.float16": "c10::Half",
        "torch.int64": "long int",
        "torch.bool": "bool",
        "torch.int8": "signed char",
        "torch.uint8": "unsigned char",
        "torch.int32": "int",
        "torch.float8_e4m3fn": "c10::Float8_e4m3fn",
    }
    tried = 0
    for wrapper in sorted(CORPUS.glob("*/*/output_code*.py")):
        reading = read_inductor_file(str(wrapper), wrapper.read_text())
        kernels = {kernel.name: kernel for kernel in reading.kernels}
        for site in reading.call_sites:
            kernel = kernels[site.kernels[0]]
            dtypes = [shape.dtype if shape else "Scalar" for shape in site.shapes]
            if len(dtypes) != len(kernel.signature) or "constexpr" in dict(kernel.signature).values():
                continue
            if [is_pointer(type_) for _, type_ in kernel.signature] != [
                shape is not None for shape in site.shapes
            ]:
                continue  # a buffer of which the wrapper does not say
            types = tuple("Scalar" if dtype == "Scalar" else spelled.get(dtype or "", "") for dtype in dtypes)
            concrete = tuple("" if shape else arg for arg, shape in zip(site.args, site.shapes, strict=True))
            if "" in types:
                continue
            args = LaunchArgs(input_types=types, concrete_inputs=concrete)
            assert fits(kernel, args), f"{wrapper}: {site}"
            doubled = structs.replace(
                args, input_types=tuple("double" if t != "Scalar" else t for t in types)
            )
            assert not fits(kernel, doubled)
            tried += 1
    assert tried > 120


def test_kernels_that_differ_in_what_they_compute_are_different() -> None:
    kernel = read_inductor_file("a.py", (BLOCK / "output_code.py").read_text()).kernels[0]
    renamed = read_inductor_file(
        "b.py", (BLOCK / "output_code.py").read_text().replace(RMS_NORM, "triton_9")
    ).kernels[0]
    changed = replace(kernel, text=kernel.text.replace("2048*x0", "4096*x0"))
    assert distinct([kernel, renamed]) == (kernel,)
    assert distinct([kernel, changed]) == (kernel, changed)


def test_one_text_is_one_kernel_whatever_comment_stands_over_it() -> None:
    kernel = read_inductor_file("a.py", (BLOCK / "output_code.py").read_text()).kernels[0]
    bare = replace(kernel, original_aten=None)
    other = replace(kernel, original_aten=("aten.view", *(kernel.original_aten or ())))
    assert distinct([bare, kernel, other]) == (kernel,)
    elsewhere = replace(other, content_hash="another", text=kernel.text.replace("index=0", "index=1"))
    assert distinct([kernel, replace(elsewhere, original_aten=None)]) == (kernel,)
    assert distinct([kernel, elsewhere]) == (kernel, elsewhere)


def test_kernels_can_be_kept_in_sets() -> None:
    kernels = read_inductor_file("a.py", (BLOCK / "output_code.py").read_text()).kernels
    assert len({*kernels, *kernels}) == 4
