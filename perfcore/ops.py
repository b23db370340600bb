"""FLOPs per element for every pointwise and reduction operator that Inductor fuses.

`flops = sum(flops_per_element(op) for op in ops) * xnumel * rnumel`. A few weights are the model's own and
fixed (docs/model.md): add and its like 1, pow/sqrt/rsqrt/var/reciprocal 2, exp/log/sigmoid/tanh/silu 4,
gelu 8, moving data 0. The rest follow from them: a comparison, a rounding, a selection or a bit operation is
one operation like `add`; a trigonometric or error function is a polynomial like `exp`; and a composite
operator weighs what its decomposition in torch/_decomp weighs, which `COMPOSITES` spells out.
"""

from __future__ import annotations

from functools import lru_cache

from perfcore.operator_names import NAMESPACE_OF

_FREE = """
    _to_copy to copy copy_ clone contiguous embedding view _unsafe_view reshape _reshape_alias permute transpose t
    expand squeeze unsqueeze slice select split split_with_sizes unbind unfold as_strided as_strided_ diagonal
    detach alias lift_fresh lift_fresh_copy flatten unflatten view_as view_as_real view_as_complex movedim
    swapaxes numpy_T expand_as repeat tile cat stack concat hstack vstack flip roll rot90 index index_select
    _unsafe_index take take_along_dim gather index_put _unsafe_index_put index_put_ index_copy scatter
    slice_scatter select_scatter diagonal_scatter as_strided_scatter masked_scatter constant_pad_nd pad
    reflection_pad1d reflection_pad2d reflection_pad3d replication_pad1d replication_pad2d replication_pad3d
    _pad_circular pixel_shuffle pixel_unshuffle channel_shuffle im2col upsample_nearest1d upsample_nearest2d
    upsample_nearest3d _upsample_nearest_exact1d _upsample_nearest_exact2d _upsample_nearest_exact3d
    fill fill_ full full_like zeros zeros_like zero zero_ ones ones_like empty empty_like empty_strided
    empty_permuted new_empty new_empty_strided new_full new_ones new_zeros scalar_tensor arange linspace eye
    iota convert_element_type broadcast_in_dim real imag view_copy slice_copy expand_copy
    permute_copy transpose_copy unsqueeze_copy squeeze_copy select_copy split_copy unbind_copy t_copy
    sort topk msort argsort device_put split_with_sizes_copy complex resize copy_to view_of view_of_dtype
    _unsafe_masked_index narrow chunk tensor_split unsafe_split unsafe_chunk hsplit vsplit atleast_1d atleast_2d
    atleast_3d fft_fftshift meshgrid triu_indices tril_indices collapse collapse_view split_dim rev
    rand randn rand_like randn_like randint randint_like randperm bernoulli uniform normal normal_functional
    inductor_random inductor_randint inductor_seed inductor_seeds inductor_lookup_seed random
    all_gather_into_tensor all_to_all_single wait_tensor broadcast all_reduce reduce_scatter_tensor
    inductor_force_stride_order _low_memory_max_pool_offsets_to_indices nonzero
    mm bmm matmul linear _scaled_mm _grouped_mm _scaled_grouped_mm _int_mm dot mv
    _scaled_dot_product_flash_attention _scaled_dot_product_efficient_attention
    _scaled_dot_product_cudnn_attention _scaled_dot_product_attention_math scaled_dot_product_attention
    _scaled_dot_product_flash_attention_backward _scaled_dot_product_efficient_attention_backward
    _scaled_dot_product_cudnn_attention_backward _flash_attention_forward _efficient_attention_forward
    convolution_backward _convolution _cudnn_rnn
    select_backward slice_backward diagonal_backward index_fill put diag diag_embed diagonal_copy repeat_interleave
    alias_copy unfold_copy concatenate block_diag broadcast_tensors fliplr flipud column_stack row_stack dstack
    max_unpool2d max_unpool3d nonzero_numpy masked_select_backward median kthvalue mode
    unsafe_split_with_sizes exponential type_as narrow_copy native_channel_shuffle resize_as
"""
"""Moving, making or renaming data: no arithmetic. Matrix products, convolutions and attention stand here too:
in the name of a pointwise or reduction kernel they are the producers whose output it reshapes; the product
itself runs in a kernel of its own (a template is counted by its own formula)."""

_ONE = """
    add sub mul div abs neg relu mean sum ne eq lt gt le ge rsub negative positive subtract multiply divide
    true_divide maximum minimum max min amax amin fmax fmin clamp clamp_min clamp_max clip hardtanh relu6
    threshold where masked_fill masked_select tril triu sign signbit sgn heaviside floor ceil round trunc frac
    fix remainder fmod floor_divide
    bitwise_and bitwise_or bitwise_xor bitwise_not bitwise_left_shift bitwise_right_shift __lshift__ __rshift__
    __and__ __or__ __xor__ shift_left shift_right_arithmetic logical_and logical_or logical_xor logical_not
    isnan isinf isfinite isposinf isneginf isclose nan_to_num conj conj_physical copysign nextafter
    greater greater_equal less less_equal not_equal equal
    prod any all argmax argmin cumsum cumprod cummax cummin nansum count_nonzero sum_to_size
    scatter_add scatter_reduce index_add index_reduce embedding_dense_backward max_pool2d_with_indices
    max_pool3d_with_indices max_pool2d max_pool3d _low_memory_max_pool_with_offsets
    max_pool2d_with_indices_backward max_pool3d_with_indices_backward
    avg_pool1d avg_pool2d avg_pool3d avg_pool2d_backward avg_pool3d_backward adaptive_avg_pool1d
    adaptive_avg_pool2d _adaptive_avg_pool2d _adaptive_avg_pool2d_backward _adaptive_avg_pool3d
    adaptive_max_pool2d adaptive_max_pool2d_backward fractional_max_pool2d
    addmm baddbmm addmv addbmm addr convolution conv1d conv2d conv3d conv_transpose2d
    unfold_backward col2im isin one_hot outer kron inner nanmean nanmedian fractional_max_pool3d
    adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool3d adaptive_max_pool3d_backward _adaptive_avg_pool3d_backward
    fractional_max_pool2d_backward fractional_max_pool3d_backward reflection_pad1d_backward
    reflection_pad2d_backward reflection_pad3d_backward replication_pad1d_backward replication_pad2d_backward
    upsample_nearest1d_backward upsample_nearest2d_backward upsample_nearest3d_backward index_select_backward
    gather_backward segment_reduce absolute floordiv mod _embedding_bag
    frexp ldexp gcd lcm trace bucketize searchsorted histc bincount xor_sum
"""
"""One operation an element. `addmm`, `baddbmm` and `convolution` are the bias added by the fused epilogue."""

_TWO = """
    pow sqrt rsqrt var reciprocal square std hypot polar angle dist cross
    float_power
"""
_FOUR = """
    exp log sigmoid tanh silu exp2 expm1 log2 log10 log1p sin cos tan asin acos atan atan2 sinh cosh asinh acosh
    atanh erf erfc erfinv erf_inv cbrt sinc logit
"""
_EIGHT = """
    gelu lgamma digamma igamma igammac i0 special_i0e special_i1 special_i1e bessel_i0 bessel_i0e bessel_i1 bessel_i1e bessel_j0
    bessel_j1 spherical_bessel_j0 polygamma zeta ndtri erfcx mvlgamma
"""

COMPOSITES: dict[str, str] = {
    "addcmul": "mul mul add",
    "addcdiv": "div mul add",
    "lerp": "sub mul add",
    "fma": "mul add",
    "logaddexp": "sub abs neg exp log1p add",
    "logaddexp2": "sub abs neg exp2 log2 add",
    "xlogy": "log mul",
    "special_xlog1py": "log1p mul",
    "special_entr": "log mul neg",
    "log_sigmoid_forward": "neg exp log1p neg",
    "log_sigmoid_backward": "exp add div mul",
    "softplus": "mul exp log1p div",
    "softplus_backward": "mul exp add div mul",
    "mish": "exp log1p tanh mul",
    "elu": "expm1 mul where",
    "elu_backward": "exp mul where",
    "selu": "expm1 mul mul where",
    "celu": "div expm1 mul where",
    "leaky_relu": "mul where",
    "leaky_relu_backward": "mul where",
    "_prelu_kernel": "mul where",
    "prelu": "mul where",
    "hardsigmoid": "add clamp_min clamp_max div",
    "hardsigmoid_backward": "gt lt logical_and mul where",
    "hardswish": "add clamp_min clamp_max mul div",
    "hardswish_backward": "div add mul where where",
    "hardtanh_backward": "le ge logical_or where",
    "hardshrink": "abs gt where",
    "softshrink": "abs sub sign where",
    "glu": "sigmoid mul",
    "glu_backward": "sigmoid mul sub mul mul",
    "threshold_backward": "le where",
    "sigmoid_backward": "sub mul mul",
    "tanh_backward": "mul sub mul",
    "silu_backward": "sigmoid sub mul add mul mul",
    "gelu_backward": "gelu mul exp mul add mul",
    "native_dropout": "gt mul mul",
    "native_dropout_backward": "mul mul",
    "dropout": "gt mul mul",
    "softmax": "amax sub exp sum div",
    "_softmax": "amax sub exp sum div",
    "_safe_softmax": "amax sub exp sum div eq where",
    "prepare_softmax_online": "amax sub exp sum",
    "_softmax_backward_data": "mul sum mul sub",
    "log_softmax": "amax sub exp sum log sub",
    "_log_softmax": "amax sub exp sum log sub",
    "_log_softmax_backward_data": "sum exp mul sub",
    "logsumexp": "amax sub exp sum log add",
    "logcumsumexp": "exp add log",
    "var_mean": "mean var",
    "std_mean": "mean std",
    "linalg_vector_norm": "pow sum sqrt",
    "norm": "pow sum sqrt",
    "aminmax": "amin amax",
    "native_layer_norm": "mean var add rsqrt sub mul mul add",
    "native_layer_norm_backward": "sub mul mul sum mul sum mul sub sub mul",
    "layer_norm": "mean var add rsqrt sub mul mul add",
    "_fused_rms_norm": "pow mean add rsqrt mul mul",
    "rms_norm": "pow mean add rsqrt mul mul",
    "_fused_rms_norm_backward": "mul mul sum mul sub mul",
    "native_group_norm": "mean var add rsqrt sub mul mul add",
    "native_group_norm_backward": "sub mul mul sum mul sum mul sub sub mul",
    "native_batch_norm": "mean var add rsqrt sub mul mul add",
    "cudnn_batch_norm": "mean var add rsqrt sub mul mul add",
    "_native_batch_norm_legit": "mean var add rsqrt sub mul mul add",
    "_native_batch_norm_legit_functional": "mean var add rsqrt sub mul mul add",
    "_native_batch_norm_legit_no_training": "add rsqrt sub mul mul add",
    "_batch_norm_with_update": "mean var add rsqrt sub mul mul add",
    "_batch_norm_with_update_functional": "mean var add rsqrt sub mul mul add",
    "native_batch_norm_backward": "sub mul sum sum mul sub sub mul",
    "batch_norm_backward": "sub mul sum sum mul sub sub mul",
    "mse_loss": "sub mul mean",
    "mse_loss_backward": "sub mul mul",
    "l1_loss": "sub abs mean",
    "smooth_l1_loss": "sub abs lt mul mul sub where mean",
    "smooth_l1_loss_backward": "sub div clamp mul",
    "huber_loss": "sub abs le mul mul sub mul where mean",
    "huber_loss_backward": "sub clamp mul",
    "binary_cross_entropy": "log log1p mul sub mul sub mean",
    "binary_cross_entropy_backward": "sub mul sub mul div",
    "binary_cross_entropy_with_logits": "sub mul sub exp log1p add mean",
    "nll_loss_forward": "ne neg where sum div",
    "nll_loss_backward": "ne div neg where",
    "nll_loss2d_forward": "ne neg where sum div",
    "nll_loss2d_backward": "ne div neg where",
    "kl_div": "log sub mul mean",
    "upsample_bilinear2d": "sub mul add sub mul add sub mul add",
    "_upsample_bilinear2d_aa": "mul add mul add mul add",
    "upsample_linear1d": "sub mul add sub mul add",
    "upsample_trilinear3d": "sub mul add sub mul add sub mul add sub mul add",
    "logit_backward": "sub mul div",
    "mish_backward": "exp log1p tanh sigmoid mul mul sub mul add mul",
    "rrelu_with_noise_functional": "le mul where",
    "soft_margin_loss": "neg mul exp log1p mean",
    "soft_margin_loss_backward": "neg mul exp add div mul",
    "_prelu_kernel_backward": "gt mul where mul where",
    "infinitely_differentiable_gelu_backward": "gelu mul exp mul add mul",
    "fake_quantize_per_tensor_affine_cachemask_backward": "mul",
    "fake_quantize_per_channel_affine_cachemask_backward": "mul",
    "affine_grid_generator": "mul add mul add",
    "cudnn_batch_norm_backward": "sub mul sum sum mul sub sub mul",
    "upsample_bicubic2d": "mul add mul add mul add mul add mul add",
    "grid_sampler_2d": "add mul sub floor mul mul add mul add mul add",
    "quantize_per_tensor": "mul round add clamp_min clamp_max",
    "quantize_per_channel": "mul round add clamp_min clamp_max",
    "quantize_per_token": "mul round add clamp_min clamp_max",
    "dequantize_per_tensor": "sub mul",
    "dequantize_per_channel": "sub mul",
    "dequantize_per_token": "sub mul",
    "choose_qparams": "amin amax sub div",
    "fake_quantize_per_tensor_affine_cachemask": "mul round add clamp_min clamp_max sub mul",
    "fake_quantize_per_channel_affine_cachemask": "mul round add clamp_min clamp_max sub mul",
    "_fused_moving_avg_obs_fq_helper": "amin amax sub mul add mul round add clamp_min clamp_max sub mul",
    "_fused_adam": "mul add mul mul add sqrt div add div mul sub",
    "_fused_adamw": "mul mul add mul mul add sqrt div add div mul sub",
    "cosine_similarity": "mul sum pow sum pow sum sqrt mul div",
    "pairwise_distance": "sub pow sum sqrt",
    "_cdist_forward": "sub pow sum sqrt",
    "cov": "mean sub mul sum div",
    "renorm": "pow sum sqrt div mul",
    "rad2deg": "mul",
    "deg2rad": "mul",
    "diff": "sub",
}
"""Composite operator → the operators its decomposition does to each element, weighed like themselves."""

_SIMPLE: dict[str, int] = {
    **dict.fromkeys(_EIGHT.split(), 8),
    **dict.fromkeys(_FOUR.split(), 4),
    **dict.fromkeys(_TWO.split(), 2),
    **dict.fromkeys(_ONE.split(), 1),
    **dict.fromkeys(_FREE.split(), 0),
}


def bare_name(op: str) -> str:
    """`torch.ops.aten.mul.Tensor`, `aten.mul` and `mul` are all `mul`."""
    op = op.removeprefix("torch.ops.")
    parts = op.split(".")
    return parts[1] if len(parts) > 1 and parts[0] != "" else op


@lru_cache(maxsize=4096)
def flops_per_element(op: str) -> int | None:
    """The weight of one operator, None where none is known (custom and unheard-of operators)."""
    name = bare_name(op)
    plain = name.removesuffix("_")
    for candidate in (name, plain, plain.removeprefix("_foreach_"), plain.removeprefix("special_")):
        if candidate in _SIMPLE:
            return _SIMPLE[candidate]
        if candidate in COMPOSITES:
            return sum(_SIMPLE[part] for part in COMPOSITES[candidate].split())
    return None


def qualified_name(op: str) -> str:
    """`mul` → `aten.mul`; a name that already has a namespace, or is unknown, stays as it is."""
    if "." in op:
        return op
    return f"{NAMESPACE_OF[op]}.{op}" if op in NAMESPACE_OF else op
