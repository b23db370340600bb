"""V2: bytes and numels from a launch's recorded arguments. Figures are derived by hand beside each test."""

from __future__ import annotations

from perfcore.kernel_name import parse_kernel_name
from perfcore.metadata import kernel_metadata
from perfcore.trace.model import LaunchArgs
from perfcore.trace_args import ArgsFigures, figures_from_args

BF16 = "c10::BFloat16"


def launch_args(text: str, numels: str = "", kwargs: str = "", others: str = "") -> LaunchArgs:
    """`8x4096x8192 bf16, 32768x8192 bf16` → the arguments as Kineto records them, numels as trailing scalars."""
    names = {"bf16": BF16, "f32": "float", "f16": "c10::Half", "i64": "long int", "i32": "int", "b8": "bool"}
    tensors = [item.split() for item in text.split(",")] if text else []
    dims = [tuple(int(size) for size in shape.split("x")) if shape != "0d" else () for shape, _ in tensors]
    scalars = [*others.split(), *numels.split()]
    return LaunchArgs(
        input_dims=(*dims, *(() for _ in scalars)),
        input_types=(*(names.get(dtype, dtype) for _, dtype in tensors), *("Scalar" for _ in scalars)),
        concrete_inputs=(*("" for _ in tensors), *scalars),
        kernel_kwargs=kwargs,
    )


def figures(name: str, args: LaunchArgs) -> ArgsFigures:
    result = figures_from_args(parse_kernel_name(name), args)
    assert result is not None
    return result


def codes(result: ArgsFigures) -> set[str]:
    return {note.code for note in result.notes}


class TestTheSeedsWorkedExamples:
    def test_swiglu(self) -> None:
        args = launch_args("8x4096x8192 bf16, 32768x8192 bf16", "268435456")
        metadata = kernel_metadata("triton_poi_fused__unsafe_view_mul_silu_2", args)
        # 2 tensors × 268,435,456 × 2 bytes, and the in_out_ptr written once more: 3 × 536,870,912
        assert metadata.bytes_moved == 1_610_612_736
        assert metadata.bytes_moved / 1024**2 == 1536
        # (_unsafe_view 0 + mul 1 + silu 4) × 268,435,456
        assert metadata.flops == 1_342_177_280
        assert (metadata.xnumel, metadata.rnumel) == (268_435_456, 1)

    def test_rmsnorm(self) -> None:
        args = launch_args("8x4096x2048 bf16, 2048 bf16, 8x4096x2048 bf16", "32768 2048")
        metadata = kernel_metadata("triton_red_fused_add_mean_mul_pow_rsqrt_0", args)
        # 134,217,728 + 4,096 + 134,217,728: a reduction has no extra write
        assert metadata.bytes_moved == 268_439_552
        # (add 1 + mean 1 + mul 1 + pow 2 + rsqrt 2) × 32,768 × 2,048
        assert metadata.flops == 469_762_048
        assert metadata.numels == (("x", 32768), ("r0_", 2048))

    def test_rmsnorm_with_residual(self) -> None:
        args = launch_args("8x4096x2048 bf16, 32768x2048 bf16, 2048 bf16, 8x4096x2048 bf16", "32768 2048")
        metadata = kernel_metadata("triton_red_fused__unsafe_view_add_mean_mul_pow_rsqrt_1", args)
        assert (metadata.bytes_moved, metadata.flops) == (402_657_280, 469_762_048)

    def test_residual_add(self) -> None:
        args = launch_args("8x4096x2048 bf16, 8x4096x2048 bf16, 32768x2048 bf16", "67108864")
        metadata = kernel_metadata("triton_poi_fused__unsafe_view_add_3", args)
        # 3 × 134,217,728 and the extra write
        assert (metadata.bytes_moved, metadata.flops) == (536_870_912, 67_108_864)


class TestNumels:
    def test_a_two_dimensional_pointwise_multiplies_both(self) -> None:
        args = launch_args("2x2432x64x64 bf16, 2x4096x2432 bf16", "8192 2432", "XBLOCK=1024")
        result = figures("triton_poi_fused_add_clone_7", args)
        assert result.numels is not None
        assert result.numels.by_prefix == (("y", 8192), ("x", 2432))
        assert result.numels.xnumel == 19_922_944

    def test_a_tiled_reduction_multiplies_all_three(self) -> None:
        args = launch_args("2x2432x64x64 bf16, 2x4096x1x19 f32", "8192 19 128", "XBLOCK=1024")
        result = figures("triton_red_fused_native_layer_norm_4", args)
        assert result.numels is not None
        assert result.numels.iteration_space == 19_922_944
        assert (result.numels.xnumel, result.numels.rnumel) == (8192 * 19, 128)

    def test_blocks_name_the_dimensions(self) -> None:
        args = launch_args("64x64x64 f32, 64 f32", "64 64 64", "XBLOCK=1,R0_BLOCK=8,R1_BLOCK=8")
        result = figures("triton_red_fused_sum_0", args)
        assert result.numels is not None
        assert result.numels.by_prefix == (("x", 64), ("r0_", 64), ("r1_", 64))

    def test_leading_integers_are_no_numels(self) -> None:
        args = launch_args("888 i32, 888 i64, 888 b8", "888", "XBLOCK=16", others="0 25136 201088 201088 0")
        result = figures("triton_poi_fused_add_bitwise_and_bitwise_not_bitwise_or_ge_lt_mul_sub_0", args)
        assert result.numels is not None
        assert result.numels.by_prefix == (("x", 888),)
        # The last tensor is bool, so it is the output: 888 × (4 + 8 + 1) and no extra write.
        assert result.bytes_moved == 11_544

    def test_dynamic_shapes_pass_their_symbols_first(self) -> None:
        args = launch_args("333x1234 f32, 333x1234 f32", "410922", "XBLOCK=512", others="1234")
        result = figures("triton_poi_fused_add_0", args)
        assert result.numels is not None
        assert result.numels.by_prefix == (("x", 410_922),)

    def test_a_bias_as_long_as_the_last_numel_does_not_fool_it(self) -> None:
        args = launch_args("8192x2432 bf16, 2432 bf16, 2432x8192 bf16", "8192 2432", "XBLOCK=64,YBLOCK=64")
        result = figures("triton_poi_fused_add_0", args)
        assert result.numels is not None
        assert result.numels.xnumel == 19_922_944

    def test_floats_booleans_and_lists_are_skipped(self) -> None:
        args = launch_args("1024 f32, 1024 f32", "1024", others="1.0 True 0.5 [1]")
        result = figures("triton_poi_fused_add_0", args)
        assert result.numels is not None
        assert result.numels.by_prefix == (("x", 1024),)
        assert result.bytes_moved == 3 * 4096

    def test_without_numels_bytes_are_unknown_and_said_so(self) -> None:
        args = launch_args("32 i32, 201088x2880 bf16, 131072x64 f32, 32x2880 bf16, 131072x64 bf16")
        result = figures("triton_poi_fused_0", args)
        assert (result.numels, result.bytes_moved) == (None, None)
        assert codes(result) == {"no-numels"}


class TestCorrections:
    def test_every_dtype_counts(self) -> None:
        args = launch_args("1000 f32, 1000 i32, 1000 b8, 1000 i64", "1000")
        # 4 + 4 + 1 + 8 bytes an element; the last (i64) is the output, so no extra write
        assert figures("triton_poi_fused_add_0", args).bytes_moved == 17_000

    def test_a_sliced_input_counts_at_most_the_iteration_space(self) -> None:
        args = launch_args("2x38x4429x64 bf16, 2x333x2432 bf16", "1619712", "XBLOCK=2048")
        result = figures("triton_poi_fused__unsafe_view_clone_slice_transpose_13", args)
        # 333 of 4,429 rows: both pointers move 1,619,712 × 2 bytes; the first cannot be in_out
        assert result.bytes_moved == 6_478_848
        assert codes(result) == {"capped", "no-extra-write"}

    def test_an_embedding_table_counts_at_most_the_iteration_space(self) -> None:
        args = launch_args("32 i64, 201088x2880 bf16, 32x2880 bf16", "92160")
        assert figures("triton_poi_fused_embedding_0", args).bytes_moved == 32 * 8 + 2 * 92160 * 2

    def test_a_broadcast_first_tensor_is_no_in_out(self) -> None:
        result = figures("triton_poi_fused_add_0", launch_args("2048 bf16, 64x2048 bf16", "131072"))
        assert result.bytes_moved == 2048 * 2 + 131_072 * 2

    def test_a_last_tensor_of_another_dtype_is_the_output(self) -> None:
        result = figures(
            "triton_poi_fused__to_copy_1", launch_args("131072x64 f32, 131072x64 bf16", "8388608")
        )
        assert result.bytes_moved == 8_388_608 * (4 + 2)
        assert codes(result) == {"no-extra-write"}

    def test_a_last_tensor_in_another_layout_is_the_output(self) -> None:
        args = launch_args(
            "2x2432x64x64 bf16, 2432 bf16, 2x4096x2432 bf16", "8192 2432", "XBLOCK=64,YBLOCK=64"
        )
        assert figures("triton_poi_fused_add_7", args).bytes_moved == 2 * 19_922_944 * 2 + 2432 * 2

    def test_a_view_of_the_same_layout_leaves_the_seeds_rule_with_a_note(self) -> None:
        result = figures(
            "triton_poi_fused_add_0", launch_args("1048576 f32, 1048576 f32, 1048576 f32", "1048576")
        )
        assert result.bytes_moved == 16_777_216
        assert codes(result) == {"extra-write"}

    def test_an_expanded_first_tensor_is_no_in_out(self) -> None:
        args = LaunchArgs(
            input_dims=((4096, 512), (4096, 512), ()),
            input_strides=((0, 1), (512, 1), ()),
            input_types=("float", "float", "Scalar"),
            concrete_inputs=("", "", "2097152"),
        )
        assert figures("triton_poi_fused_add_0", args).bytes_moved == 2 * 2_097_152 * 4

    def test_a_fill_has_nothing_to_read(self) -> None:
        assert figures("triton_poi_fused_zeros_2", launch_args("4096 f32", "4096")).bytes_moved == 16_384

    def test_zero_dimensional_tensors_are_one_element(self) -> None:
        result = figures("triton_poi_fused_mul_0", launch_args("512x512 f32, 0d f32, 512x512 f32", "262144"))
        assert result.bytes_moved == 3 * 262_144 * 4 + 4


class TestUnknown:
    def test_a_dtype_without_a_size_makes_bytes_unknown(self) -> None:
        result = figures("triton_poi_fused_add_0", launch_args("1024 MyType, 1024 f32", "1024"))
        assert result.bytes_moved is None
        assert codes(result) == {"unknown-dtype"}

    def test_without_recorded_shapes_there_is_nothing(self) -> None:
        assert figures_from_args(parse_kernel_name("triton_poi_fused_add_0"), LaunchArgs()) is None

    def test_unknown_operators_make_flops_a_lower_bound(self) -> None:
        args = launch_args("1024 f32, 1024 f32", "1024")
        metadata = kernel_metadata("triton_poi_fused_add_moe_forward_0", args)
        assert metadata.flops == 1024
        assert metadata.unknown_ops == ("moe_forward",)
        assert "unknown-ops" in {note.code for note in metadata.notes}

    def test_generic_names_have_bytes_but_no_flops(self) -> None:
        args = launch_args("1024 f32, 1024 f32, 1024 f32", "1024", "XBLOCK=256")
        metadata = kernel_metadata("triton_0", args)
        assert (metadata.bytes_moved, metadata.flops) == (4 * 4096, None)
        assert "generic-names" in {note.code for note in metadata.notes}

    def test_a_generic_reduction_is_known_by_its_blocks(self) -> None:
        args = launch_args(
            "32768x2048 bf16, 2048 bf16, 32768x2048 bf16", "32768 2048", "XBLOCK=1,R0_BLOCK=2048"
        )
        metadata = kernel_metadata("triton_1", args)
        assert (metadata.xnumel, metadata.rnumel) == (32768, 2048)
        assert metadata.bytes_moved == 268_439_552

    def test_a_users_own_kernel_counts_whole_tensors_with_a_note(self) -> None:
        args = LaunchArgs(
            input_dims=((1000,), (1000,), ()),
            input_types=("float", "float", "Scalar"),
            concrete_inputs=("", "", "1000"),
            kernel_backend="triton",
        )
        metadata = kernel_metadata("my_scale_kernel_0", args)
        assert metadata.bytes_moved == 8000
        assert {note.code for note in metadata.notes} == {"whole-tensors"}
