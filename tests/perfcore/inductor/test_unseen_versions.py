"""What newer wrappers say of their buffers: genuine ones in tests/unseen."""

from __future__ import annotations

from pathlib import Path

from perfcore.inductor import InductorFile, TensorShape, read_inductor_file
from perfcore.inductor.shapes import contiguous_strides

UNSEEN = Path(__file__).parents[2] / "unseen"


def read(name: str) -> InductorFile:
    path = UNSEEN / name
    return read_inductor_file(str(path), path.read_text())


def test_shapes_that_are_asserted_several_at_once() -> None:
    """2.14: assert_size_stride_grouped((primals_5, primals_2), ((s75, s19, s89, s89), (s19, )), …, 'input')."""
    (site,) = read("2.14.1/grouped_asserts.py").call_sites
    strides = ("s19*s89*s89", "s89*s89", "s89", 1)
    assert site.shapes[:3] == (
        TensorShape(("s75", "s19", "s89", "s89"), strides, "torch.float32"),
        TensorShape(("s19",), (1,), "torch.float32"),
        TensorShape(("s75", "s19", "s89", "s89"), strides, "torch.float32"),
    )


def test_the_shape_of_a_library_calls_result_with_its_dtype() -> None:
    """2.14: assert_tensor_metadata(buf0, (3, 9, 667), (6003, 667, 1), torch.float32, 'torch.ops.aten…')."""
    first, second = read("2.14.1/metadata_asserts.py").call_sites
    assert first.args[0] == "buf1"
    assert first.shapes[0] == TensorShape((3, 9, 667), (6003, 667, 1), "torch.float32")
    assert second.shapes == (
        TensorShape((3, 4, 663), (2652, 663, 1), "torch.float32"),
        TensorShape((4,), (1,), "torch.float32"),
        None,
    )


def test_a_kernel_is_the_decorated_function_however_many_it_calls() -> None:
    (kernel,) = read("2.14.1/combo_called_bodies.py").kernels
    assert kernel.def_name == "triton_poi_fused_0"
    assert kernel.params[:3] == ("in_ptr0", "in_ptr1", "in_ptr2")
    assert kernel.numels == ()


def test_a_contiguous_buffer_is_made_by_empty_alone() -> None:
    """2.2: buf0 = empty((s2, s4, s3, s1), device='cuda', dtype=torch.float32), without strides."""
    first, _ = read("2.2.2/empty_buffers.py").call_sites
    assert first.args[4] == "buf0"
    assert first.shapes[4] == TensorShape(
        ("s2", "s4", "s3", "s1"), ("s1*s3*s4", "s1*s3", "s1", 1), "torch.float32"
    )


def test_strides_of_a_contiguous_shape() -> None:
    assert contiguous_strides((5, 7)) == (7, 1)
    assert contiguous_strides(("s0", 5, "s1")) == ("5*s1", "s1", 1)
    assert contiguous_strides(("s0", "s0 + 1", 3)) == ("3*(s0 + 1)", 3, 1)
    assert contiguous_strides(()) == ()
