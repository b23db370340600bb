"""Each kind of access with its count derived by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perfcore.inductor import KernelSource
from perfcore.inductor.access import Accesses, Moved, Unanalysed, analyse, moved
from tests.perfcore.access.kernel_text import pointwise, reduction

FLOATS = {"in_ptr0": "*fp32", "out_ptr0": "*fp32"}


def count(kernel: KernelSource, **given: object) -> Moved:
    accesses = analyse(kernel)
    assert isinstance(accesses, Accesses), accesses
    return moved(accesses, {}, **given)  # type: ignore[arg-type]


def read_of(kernel: KernelSource, pointer: str = "in_ptr0", **given: object) -> tuple[int | None, bool]:
    (one,) = [t for t in count(kernel, **given).pointers if t.pointer == pointer]
    return one.read, one.read_exact


def loading(index: str, mask: str = "xmask", numel: int = 1000, more: tuple[str, ...] = ()) -> KernelSource:
    body = ["x0 = xindex", *more, f"tmp0 = tl.load(in_ptr0 + ({index}), {mask}, other=0.0)"]
    return pointwise([*body, "tl.store(out_ptr0 + (x0), tmp0, xmask)"], pointers=FLOATS, numels={"x": numel})


@pytest.mark.parametrize(
    ("index", "elements"),
    [
        ("x0", 1000),
        ("0", 1),
        ("x0 % 64", 64),  # a broadcast along the rows
        ("x0 // 64", 16),  # 1000 = 15·64 + 40: the last row is begun
        ("3*x0 + 10", 1000),  # a strided slice
        ("(x0 % 10) + 512*(x0 // 10)", 1000),  # ten columns of each row
        ("(x0 // 64) % 3", 3),
        ("(x0 % 8) + 4*(x0 // 8)", 504),  # windows of 8 in steps of 4: 4·124 + 8
        ("999 - x0", 1000),  # flipped
        ("x0 * x0", 1000),
        ("(x0 * x0) % 7", 4),  # quadratic residues of 7 and 0
        ("triton_helpers.minimum(x0, 31)", 32),
        ("triton_helpers.maximum(x0 - 900, 0)", 100),  # 0 … 99
        ("tl_math.abs(x0 - 500)", 501),  # 0 … 500: reflection
        ("((0) * ((0) >= (x0 - 900)) + (x0 - 900) * ((x0 - 900) > (0)))", 100),
        ("triton_helpers.div_floor_integer(x0 - 5, 10)", 101),  # -1 … 99
        ("triton_helpers.remainder_integer(x0 - 5, 10)", 10),
        ("((x0 // 12) % 5) + ((x0 // 7) % 11)", 15),  # 0 … 4 plus 0 … 10, whose cuts do not nest
    ],
)
def test_distinct_elements_of_an_index(index: str, elements: int) -> None:
    assert read_of(loading(index)) == (elements, True)


@pytest.mark.parametrize(
    ("mask", "elements"),
    [
        ("xmask & (x0 < 300)", 300),
        ("xmask & (x0 >= 300)", 700),
        ("xmask & ((x0 % 10) < 4)", 400),
        ("xmask & ((x0 // 10) >= 90) & ((x0 % 10) != 3)", 90),
        ("xmask & ((x0 < 10) | (x0 >= 990))", 20),
        ("xmask & (~(x0 < 10))", 990),
        ("xmask & (x0 == 5)", 1),
        ("xmask & (x0 > 5000)", 0),
    ],
)
def test_a_mask_leaves_its_part(mask: str, elements: int) -> None:
    assert read_of(loading("x0", mask)) == (elements, True)


def test_several_loads_of_one_buffer_count_each_element_once() -> None:
    """A 3 × 3 pooling window in steps of 2 over 16 rows of 16: 7 × 7 windows reach 15 × 15 elements."""
    body = ["x0 = xindex % 7", "x1 = xindex // 7"]
    loads = [
        f"tmp{dy}{dx} = tl.load(in_ptr0 + ({16 * dy + dx} + 2*x0 + 32*x1), xmask)"
        for dy in range(3)
        for dx in range(3)
    ]
    kernel = pointwise(
        [*body, *loads, "tl.store(out_ptr0 + (xindex), tmp00, xmask)"], pointers=FLOATS, numels={"x": 49}
    )
    assert read_of(kernel) == (225, True)


def test_two_halves_and_a_gap() -> None:
    kernel = loading("x0 + 500*(x0 // 500)")
    assert read_of(kernel) == (1000, True)


def test_a_huge_space_is_counted_without_listing_it() -> None:
    """2³⁴ elements, every second row of 128: nothing may grow with the numel."""
    kernel = loading("(x0 % 128) + 256*(x0 // 128)", numel=1 << 34)
    assert read_of(kernel) == (1 << 34, True)


def test_an_in_place_pointer_counts_both_ways() -> None:
    kernel = pointwise(
        [
            "x0 = xindex",
            "tmp0 = tl.load(in_out_ptr0 + (x0), xmask)",
            "tl.store(in_out_ptr0 + (x0), tmp0, xmask)",
        ],
        pointers={"in_out_ptr0": "*bf16"},
        numels={"x": 1000},
    )
    assert count(kernel).bytes_moved == 2 * 1000 * 2


def test_a_reduction_that_reads_its_input_twice_counts_it_once_and_says_so() -> None:
    load = "tmp0 = tl.load(in_ptr0 + (r0_1 + 300*x0), r0_mask & xmask)"
    once = ["r0_1 = r0_index", load]
    second = [
        "for r0_offset in tl.range(0, r0_numel, R0_BLOCK):",
        "    r0_index = r0_offset + r0_base",
        "    r0_mask = r0_index < r0_numel",
        "    r0_1 = r0_index",
        f"    {load}",
        "    tl.store(out_ptr0 + (r0_1 + 300*x0), tmp0, r0_mask & xmask)",
    ]
    kernel = reduction(["x0 = xindex"], once, second, pointers=FLOATS, numels={"x": 8, "r0_": 300})
    figure = count(kernel)
    assert figure.bytes_moved == 2 * 8 * 300 * 4
    assert "reads-input-twice" in {note.code for note in figure.notes}


def test_a_gather_is_bounded_by_its_positions_its_range_and_its_buffer() -> None:
    """100 positions are loaded, each reads a row of 10."""
    body = [
        "x0 = xindex % 10",
        "x1 = xindex // 10",
        "tmp0 = tl.load(in_ptr1 + (x1), xmask)",
        "tmp1 = tl.load(in_ptr0 + (x0 + 10*tmp0), xmask)",
        "tl.store(out_ptr0 + (xindex), tmp1, xmask)",
    ]
    pointers = {**FLOATS, "in_ptr1": "*i64"}
    assert read_of(pointwise(body, pointers=pointers, numels={"x": 1000})) == (1000, False)
    asserted = 'tl.device_assert((0 <= tmp0) & (tmp0 < 40), "index out of bounds: 0 <= tmp0 < 40")'
    narrow = pointwise([*body[:3], asserted, *body[3:]], pointers=pointers, numels={"x": 1000})
    assert read_of(narrow) == (400, False)
    wrapped = [*body[:3], "tmp2 = tl.where(tmp0 < 0, tmp0 + 40, tmp0)", *body[3:]]
    assert read_of(pointwise(wrapped, pointers=pointers, numels={"x": 1000})) == (1000, False)
    assert read_of(pointwise(body, pointers=pointers, numels={"x": 1000}), shapes={"in_ptr0": (25, 10)}) == (
        250,
        False,
    )


def test_an_atomic_counts_as_read_and_written() -> None:
    kernel = pointwise(
        [
            "x0 = xindex",
            "tmp0 = tl.load(in_ptr0 + (x0), xmask)",
            "tl.atomic_add(out_ptr0 + (x0 % 10), tmp0, xmask, sem='relaxed')",
        ],
        pointers=FLOATS,
        numels={"x": 1000},
    )
    figure = count(kernel)
    assert figure.bytes_moved == 1000 * 4 + 10 * 4 + 10 * 4
    assert "atomic" in {note.code for note in figure.notes}


def test_dynamic_sizes_come_with_the_launch() -> None:
    kernel = pointwise(
        [
            "x0 = xindex % ks0",
            "tmp0 = tl.load(in_ptr0 + (x0), xmask)",
            "tl.store(out_ptr0 + (xindex), tmp0, xmask)",
        ],
        pointers=FLOATS,
        numels={"x": 1000},
        scalars=("ks0",),
    )
    assert read_of(kernel, scalars={"ks0": 40}) == (40, True)
    assert read_of(kernel) == (1000, False)  # without it: no more than there are points
    assert read_of(kernel, scalars={"ks0": 0}) == (None, False)  # a division by zero has no figure


def test_an_unknown_scalar_as_an_offset_does_not_matter() -> None:
    kernel = pointwise(
        [
            "x0 = xindex",
            "tmp0 = tl.load(in_ptr0 + load_seed_offset + x0, xmask)",
            "tl.store(out_ptr0 + (x0), tmp0, xmask)",
        ],
        pointers=FLOATS,
        numels={"x": 1000},
        scalars=("load_seed_offset",),
    )
    assert read_of(kernel) == (1000, True)


def test_a_block_pointer_keeps_inside_its_shape() -> None:
    kernel = pointwise(
        [
            "tmp0 = tl.load(tl.make_block_ptr(in_ptr0, shape=[20, 30], strides=[64, 1], block_shape=[YBLOCK, XBLOCK],"
            " order=[1, 0], offsets=[yoffset, xoffset]), boundary_check=[0, 1])",
            "tl.store(tl.make_block_ptr(out_ptr0, shape=[600], strides=[1],"
            " block_shape=[YBLOCK * XBLOCK], order=[0], offsets=[30*yoffset + xoffset]), tmp0, boundary_check=[0])",
        ],
        pointers=FLOATS,
        numels={"y": 24, "x": 32},
    )
    assert read_of(kernel) == (600, True)


def test_a_flattened_block_pointer() -> None:
    """offsets=[xoffset // 30, xoffset % 30]: one variable over two dimensions."""
    kernel = pointwise(
        [
            "tmp0 = tl.load(tl.make_block_ptr(in_ptr0, shape=[20, 30], strides=[64, 1],"
            " block_shape=[((XBLOCK + 29) // 30), min(30, XBLOCK)], order=[1, 0],"
            " offsets=[xoffset // 30, xoffset % 30]), boundary_check=[0])",
            "tl.store(out_ptr0 + (xindex), tmp0, xmask)",
        ],
        pointers=FLOATS,
        numels={"x": 600},
    )
    assert read_of(kernel) == (600, True)


def test_a_tensor_descriptor_is_a_block_pointer_whose_loads_give_the_offsets() -> None:
    kernel = pointwise(
        [
            "desc0 = tl.make_tensor_descriptor(in_ptr0, shape=[24, 32], strides=[64, 1], block_shape=[YBLOCK, XBLOCK])",
            "desc1 = tl.make_tensor_descriptor(out_ptr0, shape=[24, 32], strides=[32, 1], block_shape=[YBLOCK, XBLOCK])",
            "tmp0 = desc0.load([yoffset, xoffset])",
            "desc1.store([yoffset, xoffset], tmp0)",
        ],
        pointers=FLOATS,
        numels={"y": 24, "x": 32},
    )
    figure = count(kernel)
    assert figure.exact
    assert figure.bytes_moved == 2 * 24 * 32 * 4


def test_a_binary_search_reads_no_more_than_its_boundaries() -> None:
    kernel = pointwise(
        [
            "x0 = xindex",
            "tmp0 = tl.load(in_ptr0 + (x0), xmask)",
            "tmp1 = triton_helpers.bucketize_binary_search(tmp0, in_ptr1, 31, 31, 1, 0, tl.int64, True, None, None, None,)",
            "tl.store(out_ptr0 + (x0), tmp1, xmask)",
        ],
        pointers={"in_ptr0": "*fp32", "in_ptr1": "*fp32", "out_ptr0": "*i64"},
        numels={"x": 1000},
    )
    assert read_of(kernel, "in_ptr1") == (31, False)


def test_an_index_through_floating_point_is_evaluated_as_the_gpu_does() -> None:
    """Nearest upsampling by 2: 64 positions read 32 elements."""
    kernel = loading(
        "tmp3",
        numel=64,
        more=("tmp1 = (x0).to(tl.float32)", "tmp2 = tmp1 * 0.5", "tmp3 = tmp2.to(tl.int32)"),
    )
    assert read_of(kernel) == (32, True)


def test_pytorch_2_0_wrote_its_variables_with_reshape_and_zeros() -> None:
    kernel = pointwise(
        [
            "x0 = xindex",
            "tmp0 = tl.load(in_ptr0 + (x0 + tl.zeros([XBLOCK], tl.int32)), xmask)",
            "tl.store(out_ptr0 + (x0 + tl.zeros([XBLOCK], tl.int32)), tmp0, xmask)",
        ],
        pointers=FLOATS,
        numels={"x": 1000},
    )
    text = kernel.text.replace("tl.arange(0, XBLOCK)[:]", "tl.reshape(tl.arange(0, XBLOCK), [XBLOCK])")
    assert count(replace(kernel, text=text)).bytes_moved == 8000


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("tmp0 = some_helper(in_ptr0, x0)", "in_ptr0 is used in a way"),
        ("tmp0 = tl.load(tl.where(x0 > 3, in_ptr0, out_ptr0) + x0, xmask)", "cannot be followed"),
    ],
)
def test_what_cannot_be_followed_is_named_with_its_line(line: str, reason: str) -> None:
    kernel = pointwise(
        ["x0 = xindex", line, "tl.store(out_ptr0 + (x0), tmp0, xmask)"], pointers=FLOATS, numels={"x": 10}
    )
    kernel = replace(kernel, text_line=100)
    found = analyse(kernel)
    assert isinstance(found, Unanalysed)
    assert reason in found.reason
    assert found.line == 100 + kernel.text.split("\n").index(f"    {line}")


def test_a_descriptor_that_the_host_made_may_be_read_anywhere() -> None:
    kernel = loading("x0")
    text = kernel.text.replace("tl.load(in_ptr0 + (x0), xmask, other=0.0)", "in_ptr0.load([xoffset])")
    signature = tuple((p, "tensordesc<bf16[64]>" if p == "in_ptr0" else t) for p, t in kernel.signature)
    assert isinstance(analyse(replace(kernel, text=text, signature=signature)), Unanalysed)
    template = replace(kernel, text=text, signature=signature, category="tem")
    assert read_of(template) == (None, False)
    assert read_of(template, shapes={"in_ptr0": (64, 8)}) == (512, False)
    (one, _) = count(template, shapes={"in_ptr0": (64, 8)}).pointers
    assert one.bytes_moved == 512 * 2


def test_an_index_that_is_a_reduction_is_a_value_a_point() -> None:
    """(x + r) % 2 has two values, its sum over r has more: a bound may not come from the operands."""
    kernel = reduction(
        ["x0 = xindex"],
        [
            "r0_1 = r0_index",
            "tmp0 = tl.sum((x0 + r0_1) % 2 * r0_1, 1)[:, None]",
            "tmp1 = tl.load(in_ptr0 + tmp0, xmask)",
        ],
        ["tl.store(out_ptr0 + (x0), tmp1, xmask)"],
        pointers=FLOATS,
        numels={"x": 8, "r0_": 30},
    )
    assert read_of(kernel) == (8 * 30, False)


def test_tl_max_with_an_axis_is_no_maximum_of_two() -> None:
    assert read_of(loading("tl.max(x0, 1)")) == (1000, False)
    assert read_of(loading("tl.math.max(x0, 900)")) == (100, True)


def test_a_source_that_is_masked_otherwise_adds_its_other_value() -> None:
    """tmp0 is the element at x0 // 500 or 0, as x0 % 2 has it: three different values, not two."""
    body = [
        "x0 = xindex",
        "tmp0 = tl.load(in_ptr1 + (x0 // 500), ((x0 % 2) < 1) & xmask, other=0)",
        "tmp1 = tl.load(in_ptr0 + tmp0, xmask)",
        "tl.store(out_ptr0 + (x0), tmp1, xmask)",
    ]
    kernel = pointwise(body, pointers={**FLOATS, "in_ptr1": "*i64"}, numels={"x": 1000})
    read, exact = read_of(kernel)
    assert not exact
    assert read is not None
    assert 3 <= read <= 4


@pytest.mark.parametrize("line", ["if tl.program_id(0) > 3:", "if tmp9 > 0:"])
def test_an_access_that_may_not_happen_is_a_bound(line: str) -> None:
    body = ["x0 = xindex", "tmp9 = tl.load(in_ptr1 + 0)"]
    pointers = {**FLOATS, "in_ptr1": "*i64"}
    inside = [*body, line, "    tl.store(out_ptr0 + (x0), 1.0, xmask)"]
    kernel = pointwise(inside, pointers=pointers, numels={"x": 1000})
    assert [(t.written, t.written_exact) for t in count(kernel).pointers if t.pointer == "out_ptr0"] == [
        (1000, False)
    ]
    after = [*body, line, "    return", "tl.store(in_ptr0 + (x0), 1.0, xmask)"]
    kernel = pointwise(after, pointers=pointers, numels={"x": 1000})
    assert [(t.written, t.written_exact) for t in count(kernel).pointers if t.pointer == "in_ptr0"] == [
        (1000, False)
    ]


def test_a_text_without_loads_and_stores_moves_not_nothing_but_who_knows_what() -> None:
    found = analyse(pointwise(["x0 = xindex"], pointers=FLOATS, numels={"x": 10}))
    assert isinstance(found, Unanalysed)
    assert found.reason == "no load or store was found"


def test_a_while_loop_over_memory_is_not_guessed_at() -> None:
    kernel = pointwise(
        [
            "x0 = xindex",
            "while x0 > 3:",
            "    tmp0 = tl.load(in_ptr0 + x0, xmask)",
            "tl.store(out_ptr0 + (x0), x0, xmask)",
        ],
        pointers=FLOATS,
        numels={"x": 10},
    )
    found = analyse(kernel)
    assert isinstance(found, Unanalysed)
    assert "while" in found.reason


def test_a_comparison_of_floats_in_a_mask_is_a_bound() -> None:
    """A grid sample's mask: whether a loaded position lies inside. What is read is at most what the index reaches."""
    kernel = pointwise(
        [
            "x0 = xindex",
            "tmp0 = tl.load(in_ptr1 + (x0), xmask)",
            "tmp1 = tl.full([1], -1.0, tl.float32)",
            "tmp2 = tmp0 > tmp1",
            "tmp3 = tl.load(in_ptr0 + (x0), tmp2 & xmask, other=0.0)",
            "tl.store(out_ptr0 + (x0), tmp3, xmask)",
        ],
        pointers={**FLOATS, "in_ptr1": "*fp32"},
        numels={"x": 1000},
    )
    assert read_of(kernel) == (1000, False)


def test_a_kernel_of_more_branches_than_blocks_may_nest() -> None:
    """A foreach kernel's 120 elifs stand side by side: 7 elements each, read and written."""
    branches = [
        f"{'el' * (i > 0)}if pid < num_xblocks_{i}:\n"
        f"        xnumel = 7\n"
        f"        xoffset = (pid - {i}) * XBLOCK\n"
        "        xindex = xoffset + tl.arange(0, XBLOCK)[:]\n"
        "        xmask = xindex < xnumel\n"
        f"        tmp0 = tl.load(in_ptr0 + ({7 * i} + xindex), xmask)\n"
        f"        tl.store(out_ptr0 + ({7 * i} + xindex), tmp0, xmask)"
        for i in range(120)
    ]
    kernel = pointwise(["pid = tl.program_id(0)", "\n    ".join(branches)], pointers=FLOATS, numels={"x": 7})
    counted = count(kernel)
    assert (counted.bytes_moved, counted.exact) == (2 * 840 * 4, True)


def test_comparisons_with_different_floats_are_different_conditions() -> None:
    """Where x < 0.3 does not hold x < 0.7 may: the bound is the whole range, not nothing."""
    more = (
        "tmp1 = x0.to(tl.float32) * 0.001",
        "tmp2 = tmp1 < 0.7",
        "tmp3 = (tmp1 < 0.3) == 0",
    )
    count_of, exact = read_of(loading("x0", mask="tmp2 & tmp3 & xmask", more=more))
    assert count_of is not None
    assert count_of >= 400
    assert not exact


def test_a_gather_that_is_made_again_in_a_second_loop_reaches_nothing_new() -> None:
    """Both loops load the index anew, from a place that nobody writes to: 8 rows of 100 indices."""
    index = "tmp{0} = tl.load(in_ptr1 + (r0_index + 100*xindex), r0_mask & xmask)"
    gather = "tmp{1} = tl.load(in_ptr0 + (tmp{0}), r0_mask & xmask)"
    second = [
        "for r0_offset in tl.range(0, r0_numel, R0_BLOCK):",
        "    r0_index = r0_offset + r0_base",
        "    r0_mask = r0_index < r0_numel",
        f"    {index.format(2)}",
        f"    {gather.format(2, 3)}",
        "tl.store(out_ptr0 + (xindex), tmp3, xmask)",
    ]
    kernel = reduction(
        [],
        [index.format(0), gather.format(0, 1)],
        second,
        pointers={**FLOATS, "in_ptr1": "*i64"},
        numels={"x": 8, "r0_": 100},
    )
    assert read_of(kernel) == (800, False)
