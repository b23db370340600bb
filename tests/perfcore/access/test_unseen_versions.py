"""Forms that Inductor writes in versions which the corpus does not have: genuine wrappers in tests/unseen, with figures
derived by hand; and every kernel of them before the judge."""

from __future__ import annotations

from pathlib import Path

import pytest

from perfcore.inductor import KernelSource, read_inductor_file
from perfcore.inductor.access import Accesses, Moved, analyse, body_flops, moved
from perfcore.metadata import source_metadata
from tests.perfcore.access.test_against_the_judge import check, sizes

UNSEEN = Path(__file__).parents[2] / "unseen"
WRAPPERS = sorted(UNSEEN.glob("*/*.py"))


def kernel(wrapper: str, name: str) -> KernelSource:
    path = UNSEEN / wrapper
    (found,) = [k for k in read_inductor_file(str(path), path.read_text()).kernels if k.name == name]
    return found


def count(found: KernelSource, **scalars: int) -> Moved:
    accesses = analyse(found)
    assert isinstance(accesses, Accesses), accesses
    return moved(accesses, {}, scalars=scalars)


@pytest.mark.parametrize("path", WRAPPERS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_each_figure_is_the_judges_or_a_marked_bound(path: Path) -> None:
    file = read_inductor_file(str(path), path.read_text())
    assert file.kernels
    for found in file.kernels:
        accesses = analyse(found)
        assert isinstance(accesses, Accesses), accesses
        if found.category not in (None, "tem"):
            for at in sizes(found):
                check(found, accesses, at)


def test_a_foreach_kernel_whose_branches_share_one_body() -> None:
    """2.14: branches only say `xnumel = 35; foreach_arg0 = in_ptr0; …`. SGD with momentum on tensors of 35, 300 and
    1,155 elements reads a gradient and a parameter and writes a momentum and the parameter: 4 × 1,490 × 4 bytes."""
    found = kernel("2.14.1/foreach_shared_body.py", "triton_for_fused_0")
    counted = count(found)
    assert (counted.bytes_moved, counted.exact) == (23_840, True)
    read = {one.pointer: one.read for one in counted.pointers}
    assert [read[f"in_ptr{i}"] for i in range(6)] == [35, 35, 300, 300, 1155, 1155]
    assert body_flops(found, {}) == 3 * 2 * 1490  # tl.fma three times an element


def test_a_combo_kernel_whose_branches_call_one_function() -> None:
    """2.14, combo_kernel_per_subkernel_blocks: `triton_poi_fused_0_body_0(in_ptr3, out_ptr3, xnumel_3, …)`.
    Five branches of 10 to 50 elements, each read and written once: 2 × 150 × 4 bytes."""
    given = {f"xnumel_{i}": 10 * (i + 1) for i in range(5)}
    counted = count(kernel("2.14.1/combo_called_bodies.py", "triton_poi_fused_0"), **given)
    assert (counted.bytes_moved, counted.exact) == (1200, True)
    assert [one.read for one in counted.pointers[:5]] == [10, 20, 30, 40, 50]


def test_a_combo_kernel_of_symbolic_sizes_has_its_numels_in_the_masks() -> None:
    """`xmask = xindex < xnumel_0` without an xnumel of the branch's own. Row sums of 77 × 300 read 23,100 and write 77;
    a softmax of 19 × 1,025 reads and writes 19,475, in two loops over its input: 62,127 elements."""
    found = kernel("2.14.1/combo_symbolic_numels.py", "triton_for_fused_1")
    given = {"ks0": 300, "ks1": 1025, "xnumel_0": 77, "r0_numel_0": 300, "xnumel_1": 19, "r0_numel_1": 1025}
    counted = count(found, **given)
    assert (counted.bytes_moved, counted.exact) == (62_127 * 4, True)
    assert "reads-input-twice" in {note.code for note in counted.notes}


def test_a_block_pointer_that_one_loop_moves_along_two_dimensions() -> None:
    """tl.advance(block_ptr1, [0, R0_BLOCK // 128, R0_BLOCK % 128]): [256, 64, 128] is read whole, as x, r // 128, r % 128.
    Two inputs and an output of 2,097,152 and the 256 sums."""
    found = kernel("2.14.1/block_pointer_2d_steps.py", "triton_red_fused_add_sum_transpose_0")
    counted = count(found)
    assert (counted.bytes_moved, counted.exact) == ((3 * 2_097_152 + 256) * 4, True)


def test_two_gathers_of_one_loaded_index_reach_two_elements_a_point() -> None:
    """take_along_dim and take: 700 indices, each used as t + 33·row and as t. At most 1,400 of the 3,300 elements."""
    name = "triton_poi_fused_gather_index_take_view_0"
    counted = count(kernel("2.9.1/gathers_of_one_index.py", name))
    (table,) = [one for one in counted.pointers if one.pointer == "in_ptr1"]
    assert (table.read, table.read_exact) == (1400, False)


def test_a_combo_kernel_of_unknown_sizes_has_no_figure() -> None:
    """Its size hints are those of its largest branch: with them each of ten pointers would count 2,048 elements."""
    metadata = source_metadata(kernel("2.14.1/combo_called_bodies.py", "triton_poi_fused_0"))
    assert (metadata.bytes_moved, metadata.xnumel) == (None, None)


def test_a_block_pointer_with_dimensions_of_stride_0() -> None:
    """2.5: shape [256, 64, 1, 1, 128], strides [128, 32768, 0, 0, 1]: 2,097,152 elements, each read once."""
    counted = count(kernel("2.5.1/block_pointer_broadcast.py", "triton_poi_fused_add_0"))
    assert (counted.bytes_moved, counted.exact) == (3 * 2_097_152 * 4, True)
