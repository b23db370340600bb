"""A file a kernel at a time: what is seen of kernels before they are read is what reading them tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from perfcore.inductor.cache import SourceIndex
from perfcore.inductor.content_hash import text_hash
from perfcore.inductor.read import Reading, read_inductor_file
from tests.ground_truth import CORPUS

FILES = [
    *CORPUS.glob("*/*/output_code*.py"),
    *CORPUS.glob("*/*/nouniq/output_code*.py"),
    *CORPUS.glob("*/transformer_block_bf16/cache/*/*.py"),
]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CORPUS)))
def test_the_outline_tells_names_hashes_and_places_as_reading_does(path: Path) -> None:
    text = path.read_text()
    reading = Reading(str(path), text)
    kernels = [reading.kernel(index) for index in range(len(reading.outline))]
    assert all(kernels)
    for index, (seen, kernel) in enumerate(zip(reading.outline, kernels, strict=True)):
        assert kernel is not None
        assert (seen.name, seen.def_name) == (kernel.name, kernel.def_name)
        assert seen.content_hash == kernel.content_hash
        assert {kernel.name, kernel.def_name} <= seen.names
        assert kernel.content_hash in seen.hashes
        assert reading.lines(index)[0] == kernel.text_line
        assert reading.at_line(kernel.line) == index
    whole = reading.file()
    assert whole == read_inductor_file(str(path), text)
    assert all(one is kernel for one, kernel in zip(whole.kernels, kernels, strict=True))


WRAPPER = """\
async_compile = AsyncCompile()

# kernel path: /tmp/torchinductor_me/ab/cab.py
first = async_compile.triton('first', '''
@triton_heuristics.pointwise(size_hints={'x': 16}, inductor_meta={'kernel_name': 'first'})
@triton.jit
def first(in_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 16
''', device_str='cuda')
broken = async_compile.triton('broken', '''
@triton_heuristics.pointwise(size_hints={'x': 16, inductor_meta={'kernel_name': 'broken'})
@triton.jit
def broken(in_ptr0
''', device_str='cuda')

async_compile.wait(globals())
"""


def test_a_line_belongs_to_the_kernel_whose_statement_holds_it_and_else_to_none() -> None:
    reading = Reading("/x/output_code.py", WRAPPER)
    lines = WRAPPER.split("\n")
    assert [reading.at_line(number) for number in range(len(lines))] == [
        *[None] * 3,
        *[0] * 6,
        *[1] * 5,
        *[None] * 3,
    ]


def test_a_kernel_that_cannot_be_read_costs_itself_alone() -> None:
    reading = Reading("/x/output_code.py", WRAPPER)
    assert [seen.name for seen in reading.outline] == ["first", "broken"]
    assert reading.kernel(1) is None
    assert [kernel.name for kernel in reading.file().kernels] == ["first"]
    assert [problem.code for problem in reading.file().problems] == ["kernel-unreadable"]


def test_what_an_editor_holds_is_begun_by_the_index_and_let_go_of_when_all_of_it_is_read() -> None:
    index = SourceIndex()
    index.add_file("/x/output_code.py", WRAPPER)
    begun = index.begun("/x/output_code.py")
    assert begun is not None
    assert begun.outline[0].hashes == {text_hash(WRAPPER.split("'''")[1])}
    file = index.file("/x/output_code.py")
    assert file is not None
    assert file.kernels == (begun.kernel(0),)
    assert index.begun("/x/output_code.py") is None


def test_a_file_that_is_not_inductors_has_no_outline() -> None:
    reading = Reading("/x/model.py", "import torch\n\ndef forward(x):\n    return x\n")
    assert reading.kind == "other"
    assert reading.outline == ()
    assert reading.file() == read_inductor_file("/x/model.py", "import torch\n")
