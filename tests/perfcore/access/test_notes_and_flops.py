"""What the accesses teach, and the arithmetic counted from the text."""

from __future__ import annotations

import pytest

from perfcore.inductor import KernelSource, read_inductor_file
from perfcore.inductor.access import Accesses, analyse, body_flops, moved, template_flops
from tests.ground_truth import CORPUS
from tests.perfcore.access.kernel_text import pointwise, reduction

FLOATS = {"in_ptr0": "*fp32", "out_ptr0": "*fp32"}


def notes(kernel: KernelSource, shapes: dict[str, tuple[int, ...]] | None = None) -> dict[str, str]:
    accesses = analyse(kernel)
    assert isinstance(accesses, Accesses)
    return {note.code: note.text for note in moved(accesses, {}, shapes=shapes).notes}


def copying(index: str, mask: str = "xmask") -> KernelSource:
    return pointwise(
        [
            "x0 = xindex",
            f"tmp0 = tl.load(in_ptr0 + ({index}), {mask})",
            "tl.store(out_ptr0 + (x0), tmp0, xmask)",
        ],
        pointers=FLOATS,
        numels={"x": 1024},
    )


def from_corpus(version: str, model: str, ending: str) -> KernelSource:
    for path in sorted((CORPUS / version / model / "cache").rglob("*.py")):
        for kernel in read_inductor_file(str(path), path.read_text()).kernels:
            if kernel.name.endswith(ending):
                return kernel
    raise LookupError(ending)


def test_a_plain_copy_needs_no_remark() -> None:
    assert notes(copying("x0")) == {}


def test_a_transposing_read_is_uncoalesced() -> None:
    """x and x + 1 lie a row of 32 apart."""
    text = notes(copying("32*(x0 % 32) + x0 // 32"))["uncoalesced"]
    assert "in_ptr0 is read in steps of 32 elements (128 bytes) from one x to the next" in text


def test_a_tile_that_is_innermost_in_one_of_its_two_variables_is_coalesced() -> None:
    kernel = pointwise(
        [
            "tmp0 = tl.load(in_ptr0 + (yindex + 32*xindex), xmask)",
            "tl.store(out_ptr0 + (xindex + 32*yindex), tmp0, xmask)",
        ],
        pointers=FLOATS,
        numels={"y": 32, "x": 32},
    )
    assert notes(kernel) == {}


def test_a_broadcast_is_not_uncoalesced() -> None:
    found = notes(copying("x0 // 32"))
    assert "broadcast" in found
    assert "uncoalesced" not in found


def test_windows_that_fill_each_others_gaps_are_not_uncoalesced() -> None:
    kernel = pointwise(
        [
            "x0 = xindex",
            "tmp0 = tl.load(in_ptr0 + (2*x0), xmask)",
            "tmp1 = tl.load(in_ptr0 + (1 + 2*x0), xmask)",
            "tl.store(out_ptr0 + (x0), tmp0 + tmp1, xmask)",
        ],
        pointers=FLOATS,
        numels={"x": 1024},
    )
    assert notes(kernel) == {}


def test_a_slice_is_told_from_the_tensors_shape() -> None:
    text = notes(copying("x0"), shapes={"in_ptr0": (64, 32), "out_ptr0": (1024,)})["slice"]
    assert text == "in_ptr0 is read in part: 1,024 of 2,048 elements."


def test_a_mask_is_told() -> None:
    assert "masked" in notes(copying("x0", "xmask & (x0 < 512)"))


@pytest.mark.parametrize(
    ("model", "ending", "code"),
    [
        ("embedding_pos", "embedding_0", "gather"),
        ("gather_scatter", "scatter_add_2", "atomic"),
        ("gather_scatter", "scatter_add_2", "scatter"),
        ("cumsum_scan", "cumprod_1", "uncoalesced"),
        ("cumsum_scan", "cumprod_1", "workspace"),
        ("cooperative_reduction", "softmax_online_sum_0", "reads-input-twice"),
        ("maxpool_train", "avg_pool2d_2", "overlap"),
        ("transformer_block_bf16", "mul_silu_2", "in-place"),
        ("user_triton", "my_scale_kernel_0", "assumes-grid"),
        ("cat_pad_slice_stack", "constant_pad_nd_0", "masked"),
    ],
)
def test_notes_on_genuine_kernels(model: str, ending: str, code: str) -> None:
    kernel = from_corpus("2.13.0", model, ending)
    accesses = analyse(kernel)
    assert isinstance(accesses, Accesses)
    assert code in {note.code for note in moved(accesses, {}, scalars={"n": 1000}).notes}


# -- arithmetic ------------------------------------------------------------------------------------------------------


def test_the_bodys_arithmetic_counts_data_not_indices() -> None:
    """Per element: an addition, an exponential (4) and a multiplication; the index and its casts are free."""
    kernel = pointwise(
        [
            "x0 = (xindex // 3) % 64",
            "tmp0 = tl.load(in_ptr0 + (xindex), xmask).to(tl.float32)",
            "tmp1 = tmp0 + 1.0",
            "tmp2 = tl_math.exp(tmp1)",
            "tmp3 = tmp2 * tmp0",
            "tmp4 = tmp3 * tmp3",
            "tl.store(out_ptr0 + (xindex), tmp3, xmask)",
        ],
        pointers=FLOATS,
        numels={"x": 1000},
    )
    assert body_flops(kernel, {}) == 6 * 1000


def test_a_loops_accumulator_is_the_sum() -> None:
    """Square and add over 8 × 300 points, then one division a row."""
    kernel = reduction(
        ["x0 = xindex", "_tmp3 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)"],
        [
            "r0_1 = r0_index",
            "tmp0 = tl.load(in_ptr0 + (r0_1 + 300*x0), r0_mask & xmask)",
            "tmp1 = tmp0 * tmp0",
            "tmp2 = tl.broadcast_to(tmp1, [XBLOCK, R0_BLOCK])",
            "tmp4 = _tmp3 + tmp2",
            "_tmp3 = tl.where(r0_mask & xmask, tmp4, _tmp3)",
        ],
        ["tmp3 = tl.sum(_tmp3, 1)[:, None]", "tmp5 = tmp3 / 300.0", "tl.store(out_ptr0 + (x0), tmp5, xmask)"],
        pointers=FLOATS,
        numels={"x": 8, "r0_": 300},
    )
    assert body_flops(kernel, {}) == 2 * 8 * 300 + 8


def test_an_augmented_assignment_is_an_operation() -> None:
    kernel = reduction(
        ["x0 = xindex", "total = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)"],
        ["tmp0 = tl.load(in_ptr0 + (r0_index + 300*x0), r0_mask & xmask)", "total += tmp0"],
        ["tl.store(out_ptr0 + (x0), tl.sum(total, 1)[:, None], xmask)"],
        pointers=FLOATS,
        numels={"x": 8, "r0_": 300},
    )
    assert body_flops(kernel, {}) == 8 * 300


def test_without_its_numels_a_body_has_no_count() -> None:
    assert body_flops(from_corpus("2.13.0", "transformer_block_dynamic", "add_3"), {}) is None


@pytest.mark.parametrize("version", ["2.4.1", "2.7.1", "2.12.1", "2.13.0"])
def test_a_matrix_product_is_2mnk(version: str) -> None:
    """1024 × 512 by 512 × 2048, from the template's own text."""
    kernel = from_corpus(version, "matmul_template", "mm_relu_0")
    accesses = analyse(kernel)
    assert isinstance(accesses, Accesses)
    assert template_flops(kernel, accesses) == 2 * 1024 * 2048 * 512
    figure = moved(accesses, {})
    assert figure.exact
    assert figure.bytes_moved == 2 * (1024 * 512 + 512 * 2048 + 2048 + 1024 * 2048)


def test_attention_and_convolution_from_their_shapes() -> None:
    kernel = pointwise(
        ["x0 = xindex"], pointers={"arg_Q": "*bf16", "arg_K": "*bf16", "arg_V": "*bf16"}, numels={"x": 1}
    )
    shapes = {"arg_Q": (2, 8, 128, 64), "arg_K": (2, 2, 256, 64), "arg_V": (2, 2, 256, 32)}
    assert template_flops(kernel, EMPTY, shapes=shapes) == 2 * 2 * 8 * 128 * 256 * (64 + 32)
    kernel = pointwise(
        ["x0 = xindex", "tl.store(out_ptr0 + x0, 0.0, xmask)"],
        pointers={"arg_X": "*bf16", "arg_W": "*bf16", "out_ptr0": "*bf16"},
        numels={"x": 1},
    )
    accesses = analyse(kernel)
    assert isinstance(accesses, Accesses)
    shapes = {"arg_X": (2, 3, 32, 32), "arg_W": (16, 3, 5, 5), "out_ptr0": (2, 16, 28, 28)}
    assert template_flops(kernel, accesses, shapes=shapes) == 2 * (2 * 16 * 28 * 28) * (3 * 5 * 5)


EMPTY = Accesses((), (), (), ())
