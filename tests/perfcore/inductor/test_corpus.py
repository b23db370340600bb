"""Everything read from genuine Inductor output is what torch itself recorded when it wrote that output."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from perfcore.dtypes import element_size
from perfcore.inductor import CallSite, InductorFile, KernelSource, read_inductor_file
from perfcore.signature_bytes import bytes_from_signature
from tests.ground_truth import CORPUS, WHOLE_CORPUS, Row, rows

VERSIONS = ("2.4.1", "2.7.1", "2.12.1", "2.13.0")


@pytest.fixture(params=["selection", "whole"], scope="module")
def corpus(request: pytest.FixtureRequest) -> Path:
    if request.param == "whole" and not WHOLE_CORPUS.is_dir():
        pytest.skip(f"the whole corpus is not at {WHOLE_CORPUS}; the selection in tests/corpus is tested")
    return WHOLE_CORPUS if request.param == "whole" else CORPUS


@pytest.fixture(params=VERSIONS, scope="module")
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@cache
def read(path: Path) -> InductorFile:
    return read_inductor_file(str(path), path.read_text())


def readings(corpus: Path, version: str) -> Iterator[tuple[Row, KernelSource]]:
    """Each kernel twice: as the wrapper holds it, and from its own file."""
    for row in rows(corpus, version):
        embedded = [kernel for kernel in read(row.wrapper).kernels if kernel.name == row.facts["name"]]
        assert len(embedded) == 1, f"{row}: found {len(embedded)} times"
        yield row, embedded[0]
        single = read(row.single)
        assert single.kind == "kernel"
        assert len(single.kernels) == 1, f"{row}: {single.problems}"
        yield row, single.kernels[0]


def recorded(corpus: Path, version: str) -> Iterator[tuple[Row, KernelSource]]:
    """The readings of which torch recorded more than names."""
    return ((row, kernel) for row, kernel in readings(corpus, version) if "params" in row.facts)


def differing(
    pairs: Iterator[tuple[Row, KernelSource]],
    ours: Callable[[KernelSource], object],
    theirs: Callable[[Row], object],
) -> list[str]:
    found = [
        f"{row}: {ours(kernel)} is not {theirs(row)}" for row, kernel in pairs if ours(kernel) != theirs(row)
    ]
    return found[:5]


def test_no_file_has_a_problem(corpus: Path, version: str) -> None:
    paths = [path for path in (corpus / version).rglob("*.py") if path.is_file()]
    files = [read(path) for path in paths]
    assert len(paths) > 60
    assert [file.path for file in files if file.problems or file.kind == "other"] == []
    assert all(not kernel.edited for file in files for kernel in file.kernels)


def test_names(corpus: Path, version: str) -> None:
    assert not differing(
        readings(corpus, version),
        lambda kernel: (kernel.name, kernel.def_name),
        lambda row: (row.facts["name"], row.facts["def_name"]),
    )


def test_content_hash_is_the_single_kernel_file_also_for_templates_and_users_kernels(
    corpus: Path, version: str
) -> None:
    assert not differing(
        readings(corpus, version), lambda kernel: kernel.content_hash, lambda row: row.single.stem
    )


def test_category_with_cooperative_reductions_as_reductions(corpus: Path, version: str) -> None:
    assert not differing(
        recorded(corpus, version),
        lambda kernel: kernel.category,
        lambda row: "red" if row.facts.get("category") == "unk" else row.facts.get("category"),
    )


def test_decorator(corpus: Path, version: str) -> None:
    assert not differing(
        recorded(corpus, version),
        lambda kernel: kernel.decorator,
        lambda row: row.facts["decorator"].removeprefix("triton_heuristics."),
    )


def test_parameters(corpus: Path, version: str) -> None:
    assert not differing(
        recorded(corpus, version),
        lambda kernel: list(kernel.params),
        lambda row: [name for name, _ in row.facts["params"]],
    )


def test_signature_by_parameter_whether_keyed_by_position_or_by_name(corpus: Path, version: str) -> None:
    def expected(row: Row) -> list[tuple[str, str]]:
        types = row.facts["signature"]
        return [
            (name, types.get(name, types.get(str(position), "")))
            for position, (name, annotation) in enumerate(row.facts["params"])
            if annotation != "tl.constexpr"
        ]

    assert not differing(recorded(corpus, version), lambda kernel: list(kernel.signature), expected)


def test_size_hints(corpus: Path, version: str) -> None:
    """In 2.4 a list in the order of the numel parameters, later a dict by prefix."""

    def expected(row: Row) -> list[tuple[str, int]]:
        hints = row.size_hints
        if isinstance(hints, list):
            numels = [name for name, _ in row.facts["params"] if name.endswith("numel")]
            keys = ["r0_" if name == "rnumel" else name[0] for name in numels]
            return list(zip(keys, hints, strict=True))
        return list((hints or {}).items())

    assert not differing(recorded(corpus, version), lambda kernel: list(kernel.size_hints), expected)


def test_constant_numels(corpus: Path, version: str) -> None:
    """Static numels stand in the body; symbolic ones, templates' and combo kernels' do not."""

    def expected(row: Row) -> dict[str, int]:
        numels = row.facts.get("numels")
        params = [name for name, _ in row.facts["params"] if name.endswith("numel")]
        keys = ["r0_" if name == "rnumel" else name.removesuffix("numel") for name in params]
        values = [numels.get(key) for key in keys] if isinstance(numels, dict) else (numels or [])
        return {key: value for key, value in zip(keys, values, strict=False) if isinstance(value, int)}

    with_numels = ((row, kernel) for row, kernel in recorded(corpus, version) if "numels" in row.facts)
    assert not differing(with_numels, lambda kernel: dict(kernel.numels), expected)


def test_original_aten(corpus: Path, version: str) -> None:
    """Only the wrapper says it, and says nothing of a user's own kernel."""
    in_wrapper = ((row, kernel) for row, kernel in recorded(corpus, version) if "output_code" in kernel.path)
    assert not differing(
        in_wrapper, lambda kernel: list(kernel.original_aten or ()), lambda row: row.facts["original_aten"]
    )


def calls(corpus: Path, version: str) -> Iterator[tuple[Row, CallSite]]:
    for row in rows(corpus, version):
        if "params" in row.facts:
            sites = [site for site in read(row.wrapper).call_sites if row.facts["name"] in site.kernels]
            expected = row.facts.get("num_calls") or 1  # a multi-kernel's choices are called through it
            assert len(sites) == expected, f"{row}: {len(sites)} calls"
            yield row, sites[0]


def test_call_sites_stand_where_the_text_says(corpus: Path, version: str) -> None:
    for row, site in calls(corpus, version):
        line = row.wrapper.read_text().split("\n")[site.span.start_line]
        text = line[site.span.start_column : site.span.end_column]
        assert site.span.start_line == site.span.end_line
        assert text.startswith(f"{site.kernel}.run(")
        assert text.endswith(")")
        assert not row.facts["run_lines"] or text in row.facts["run_lines"]


def test_arguments_in_the_order_of_the_parameters(corpus: Path, version: str) -> None:
    for row, site in calls(corpus, version):
        expected = [argument["call_arg"] for argument in row.facts["args"]]
        assert len(site.args) == len(expected), str(row)
        for ours, theirs in zip(site.args, expected, strict=True):
            written = theirs.partition("=")[2] or theirs
            assert ours.removesuffix(".item()") == written.removesuffix(".item()") or written.endswith(
                "numel"
            )


def test_shapes_of_arguments(corpus: Path, version: str) -> None:
    """2.4 does not assert the shape of every library call's result: such a buffer is unknown, not guessed."""
    known = unknown = 0
    for row, site in calls(corpus, version):
        for argument, text, shape in zip(row.facts["args"], site.args, site.shapes, strict=True):
            if argument["kind"] == "scalar" or text.endswith(".item()"):
                assert shape is None, f"{row}: {text}"
            elif argument["kind"] == "tensor" and shape is None:
                unknown += 1
            elif argument["kind"] == "tensor" and shape is not None:
                known += 1
                assert list(shape.sizes) == argument["size"], f"{row}: {text}"
                assert list(shape.strides) == argument["stride"], f"{row}: {text}"
                assert element_size(shape.dtype or "") == element_size(argument["dtype"]), f"{row}: {text}"
    assert known > 100
    assert unknown <= (1 if version == "2.4.1" else 0)


def test_comments_over_call_sites_name_the_same_operators(corpus: Path, version: str) -> None:
    for row, site in calls(corpus, version):
        if row.facts["original_aten"] and site.comment_span:
            line = row.wrapper.read_text().split("\n")[site.comment_span.start_line]
            assert set(row.facts["original_aten"]) <= set(
                line.partition("Original ATen: [")[2][:-1].split(", ")
            )


def test_inductors_own_estimate_is_kept(corpus: Path) -> None:
    """With profile_bandwidth on, `kernel_num_gb` stands in inductor_meta."""
    wrapper = corpus / "2.13.0/transformer_block_bf16/pb/output_code.py"
    estimates = [dict(kernel.inductor_meta).get("kernel_num_gb") for kernel in read(wrapper).kernels]
    assert estimates == [0.268439552, 0.40265728, 1.610612736, 0.536870912]


def test_what_the_v1_formula_needs_of_the_rms_norm_kernel(version: str) -> None:
    """Two inputs of 2 bytes over 32,768 × 2,048 elements, one output of 2 bytes over 32,768:
    (2 + 2) × 67,108,864 + 2 × 32,768 = 268,500,992."""
    kernel = read(CORPUS / version / "transformer_block_bf16/output_code.py").kernels[0]
    hints = dict(kernel.size_hints)
    assert hints == dict(kernel.numels) == {"x": 32768, "r0_": 2048}
    assert bytes_from_signature(kernel.signature, hints["x"], hints["r0_"]) == 268_500_992
