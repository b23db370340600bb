"""What PyTorch versions before those in the corpus wrote, and what formatters and other backends make of it. The
texts are made for these tests, line for line in the manner of each."""

from __future__ import annotations

from pathlib import Path

from perfcore.inductor import TensorShape, read_inductor_file
from perfcore.inductor.cache import SourceIndex

HEADER = """\
from ctypes import c_void_p, c_long
import torch
import math
import random
from torch import empty_strided, as_strided, device
from torch._inductor.codecache import AsyncCompile
from torch._inductor.select_algorithm import extern_kernels

aten = torch.ops.aten
assert_size_stride = torch._C._dynamo.guards.assert_size_stride
async_compile = AsyncCompile()

import triton
import triton.language as tl
from torch._inductor.triton_ops.autotune import grid, start_graph, end_graph
from torch._C import _cuda_getCurrentRawStream as get_cuda_stream

"""

TORCH_1_13 = (
    HEADER
    + """
kernel0 = async_compile.triton('''
import triton
import triton.language as tl
from torch._inductor.ir import ReductionHint
from torch._inductor.triton_ops.autotune import pointwise
from torch._inductor.utils import instance_descriptor

@pointwise(size_hints=[1024], filename=__file__, meta={'signature': {0: '*fp32', 1: '*i1', 2: 'i32'}, 'device': 0, 'constants': {}, 'configs': [instance_descriptor(divisible_by_16=(0, 1), equal_to_1=())]})
@triton.jit
def kernel(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 1000
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.reshape(tl.arange(0, XBLOCK), [XBLOCK])
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tmp0 > 0
    tl.store(out_ptr0 + (x0 + tl.zeros([XBLOCK], tl.int32)), tmp1, xmask)
''')


async_compile.wait(globals())
del async_compile

def call(args):
    arg0_1, = args
    args.clear()
    buf0 = empty_strided((1000, ), (1, ), device='cuda', dtype=torch.bool)
    stream0 = get_cuda_stream(0)
    kernel0.run(arg0_1, buf0, 1000, grid=grid(1000), stream=stream0)
    del arg0_1
    return (buf0, )
"""
)

TORCH_2_0 = (
    HEADER
    + """
# kernel path: /tmp/torchinductor_user/y6/cy6kzfjfj3bv73h3nb6y5czrmnu72qajcyaojkaczlavbvcx5tsl.py
# Original ATen: aten.add, aten.native_layer_norm

# aten.add => add
# aten.native_layer_norm => var_mean
triton_fused_add_native_layer_norm_0 = async_compile.triton('''
import triton
import triton.language as tl
from torch._inductor.ir import ReductionHint
from torch._inductor.ir import TileHint
from torch._inductor.triton_ops.autotune import reduction
from torch._inductor.utils import instance_descriptor

@reduction(size_hints=[512, 1024],
              reduction_hint=ReductionHint.INNER,
              filename=__file__,
              meta={'signature': {0: '*fp16', 1: '*fp16', 2: '*fp32', 3: 'i32', 4: 'i32'}, 'device': 0, 'constants': {}, 'mutated_arg_names': ['in_out_ptr0'], 'configs': [instance_descriptor(divisible_by_16=(0, 1, 2, 3, 4), equal_to_1=())]})
@triton.jit
def triton_(in_out_ptr0, in_ptr0, out_ptr0, xnumel, rnumel, XBLOCK : tl.constexpr, RBLOCK : tl.constexpr):
    xnumel = 400
    rnumel = 768
    xoffset = tl.program_id(0) * XBLOCK
''')


async_compile.wait(globals())
del async_compile

def call(args):
    primals_1, primals_2 = args
    args.clear()
    with torch.cuda._DeviceGuard(0):
        torch.cuda.set_device(0) # no-op to ensure context
        buf0 = empty_strided((400, 768), (768, 1), device='cuda', dtype=torch.float16)
        extern_kernels.mm(primals_2, as_strided(primals_1, (768, 768), (1, 768)), out=buf0)
        buf1 = empty_strided((400, 1), (1, 400), device='cuda', dtype=torch.float32)
        buf2 = as_strided(buf0, (4, 100, 768), (76800, 768, 1)); del buf0  # reuse
        stream0 = get_cuda_stream(0)
        triton_fused_add_native_layer_norm_0.run(buf2, primals_2, buf1, 400, 768, grid=grid(400), stream=stream0)
        return (buf2, buf1, )


def benchmark_compiled_module():
    primals_1 = rand_strided((768, 768), (768, 1), device='cuda:0', dtype=torch.float16)
    primals_2 = rand_strided((400, 768), (768, 1), device='cuda:0', dtype=torch.float16)
    print_performance(lambda: call([primals_1, primals_2]))
"""
)

TORCH_2_1_ON_XPU = """\
# Original file: ./model___60.0/model___60.0_1.py

import torch
from intel_extension_for_pytorch._inductor.xpu.codecache import XPUAsyncCompile
async_compile = XPUAsyncCompile()

# kernel path: inductor_log/6j/c6j5xj6xqp7qcvo3qdouporkkbn2bub2risb4mtn4lkexjukgvvq.py
# Source Nodes: [add_17, norm1], Original ATen: [aten._native_batch_norm_legit_no_training, aten.add]
# add_17 => add_73
# norm1 => add_75, mul_116, sub_23
triton_poi_fused__native_batch_norm_legit_no_training_add_24 = async_compile.triton('triton_', '''
import triton
import triton.language as tl
from intel_extension_for_pytorch._inductor.xpu.triton_heuristics import AutotuneHint, pointwise
from torch._inductor.utils import instance_descriptor

@pointwise(size_hints=[64, 16384], tile_hint=TileHint.SQUARE,filename=__file__, meta={'signature': {0: '*bf16', 1: '*bf16', 2: 'i32', 3: 'i32'}, 'device': 0, 'device_type': 'xpu', 'constants': {}, 'mutated_arg_names': [], 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__native_batch_norm_legit_no_training_add_24', 'configs': [AttrsDescriptor(divisible_by_16=(0, 1), equal_to_1=())]})
@triton.jit
def triton_(in_ptr0, out_ptr0, ynumel, xnumel, YBLOCK : tl.constexpr, XBLOCK : tl.constexpr):
    ynumel = 49
    xnumel = 12288
    yoffset = tl.program_id(1) * YBLOCK
''')
"""

TORCH_2_2_KERNEL = """
import triton
import triton.language as tl
from torch._inductor.ir import ReductionHint
from torch._inductor.ir import TileHint
from torch._inductor.triton_heuristics import AutotuneHint, persistent_reduction
from torch._inductor.utils import instance_descriptor
from torch._inductor import triton_helpers

@triton.jit
def _triton_helper_fn0(arg0, arg1):
    tmp0 = arg0 + arg1
    return tmp0

@persistent_reduction(
    size_hints=[128, 1024],
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={'signature': {0: '*fp32', 1: '*i1', 2: 'i32', 3: 'i32'}, 'device': 0, 'device_type': 'cuda', 'constants': {}, 'configs': [instance_descriptor(divisible_by_16=(0, 1, 3), equal_to_1=(), ids_of_folded_args=(), divisible_by_8=(3,))]},
    inductor_meta={'autotune_hints': set(), 'kernel_name': 'triton_per_fused_threshold_backward_39', 'mutated_arg_names': ['in_out_ptr0']}
)
@triton.jit
def triton_(in_out_ptr0, in_ptr0, xnumel, rnumel):
    xnumel = 100
    XBLOCK: tl.constexpr = 1
    rnumel = 784
    RBLOCK: tl.constexpr = 1024
    xoffset = tl.program_id(0) * XBLOCK
"""

TORCH_2_6_KERNEL = """
import triton
import triton.language as tl
from triton.compiler.compiler import AttrsDescriptor

from torch._inductor.runtime import triton_helpers, triton_heuristics
triton_helpers.set_driver_to_gpu()

@triton_heuristics.reduction(
    size_hints={'x': 64, 'r': 256},
    reduction_hint=ReductionHint.DEFAULT,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'ks0': 'i32', 'out_ptr0': '*fp64', 'xnumel': 'i32', 'rnumel': 'i32'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9), 'constants': {}, 'configs': [AttrsDescriptor.from_dict({'arg_properties': {'tt.divisibility': (0, 1, 2), 'tt.equal_to': ()}, 'cls': 'AttrsDescriptor'})]},
    inductor_meta={'autotune_hints': set(), 'kernel_name': 'triton_red_fused_sum_0', 'mutated_arg_names': [], 'no_x_dim': False, 'num_load': 1, 'num_reduction': 1}
)
@triton.jit
def triton_red_fused_sum_0(in_ptr0, ks0, out_ptr0, xnumel, rnumel, XBLOCK : tl.constexpr, RBLOCK : tl.constexpr):
    rnumel = 200
    xoffset = tl.program_id(0) * XBLOCK
"""


def test_1_13_a_wrapper_without_names_or_comments() -> None:
    file = read_inductor_file("output_code.py", TORCH_1_13)
    (kernel,) = file.kernels
    assert (kernel.name, kernel.def_name, kernel.category) == ("kernel0", "kernel", "poi")
    assert kernel.signature == (("in_ptr0", "*fp32"), ("out_ptr0", "*i1"), ("xnumel", "i32"))
    assert kernel.size_hints == (("x", 1024),)
    assert kernel.numels == (("x", 1000),)
    assert kernel.original_aten is None
    (site,) = file.call_sites
    assert site.kernels == ("kernel0",)
    assert site.args == ("arg0_1", "buf0", "1000")
    assert site.shapes == (None, TensorShape((1000,), (1,), "torch.bool"), None)


def test_2_0_operators_without_brackets_and_inputs_without_asserts() -> None:
    file = read_inductor_file("output_code.py", TORCH_2_0)
    (kernel,) = file.kernels
    assert (kernel.name, kernel.def_name) == ("triton_fused_add_native_layer_norm_0", "triton_")
    assert kernel.category == "red"  # the name has none: the decorator says it
    assert kernel.original_aten == ("aten.add", "aten.native_layer_norm")
    assert kernel.kernel_path is not None
    assert kernel.path_span is not None
    assert kernel.size_hints == (("x", 512), ("r0_", 1024))
    assert kernel.numels == (("x", 400), ("r0_", 768))
    assert dict(kernel.triton_meta)["mutated_arg_names"] == ["in_out_ptr0"]
    (site,) = file.call_sites
    assert site.shapes[:3] == (
        TensorShape((4, 100, 768), (76800, 768, 1), "torch.float16"),
        TensorShape((400, 768), (768, 1), "torch.float16"),  # as the benchmark code makes it
        TensorShape((400, 1), (1, 400), "torch.float32"),
    )


def test_2_0_a_kernels_own_file_is_named_by_its_wrapper(tmp_path: Path) -> None:
    wrapper = tmp_path / "output_code.py"
    wrapper.write_text(TORCH_2_0)
    (embedded,) = read_inductor_file(str(wrapper), TORCH_2_0).kernels
    content_hash = embedded.content_hash
    assert content_hash is not None
    own = tmp_path / content_hash[1:3] / f"{content_hash}.py"
    own.parent.mkdir()
    own.write_text(embedded.text.strip())
    assert [kernel.name for kernel in read_inductor_file(str(own), own.read_text()).kernels] == ["triton_"]
    index = SourceIndex()
    index.add_directory(tmp_path, given=True)
    index.scan()
    first, second = index.by_hash(content_hash)
    assert (first.path, second.path) == (str(own), str(wrapper))
    assert first.name == second.name == "triton_fused_add_native_layer_norm_0"
    assert not first.edited


def test_2_1_the_name_in_the_only_meta_and_a_tiled_pointwise() -> None:
    file = read_inductor_file("kernel.py", TORCH_2_1_ON_XPU)
    (kernel,) = file.kernels
    assert file.kind == "wrapper"
    assert kernel.name == "triton_poi_fused__native_batch_norm_legit_no_training_add_24"
    assert kernel.size_hints == (("y", 64), ("x", 16384))
    assert kernel.numels == (("y", 49), ("x", 12288))
    assert kernel.source_nodes == ("add_17", "norm1")
    assert kernel.original_aten == ("aten._native_batch_norm_legit_no_training", "aten.add")


def test_2_2_a_single_kernel_after_its_helper_function() -> None:
    file = read_inductor_file("kernel.py", TORCH_2_2_KERNEL)
    (kernel,) = file.kernels
    assert file.kind == "kernel"
    assert (kernel.name, kernel.def_name, kernel.category) == (
        "triton_per_fused_threshold_backward_39",
        "triton_",
        "per",
    )
    assert kernel.params == ("in_out_ptr0", "in_ptr0", "xnumel", "rnumel")
    assert kernel.numels == (("x", 100), ("r0_", 784))


def test_2_6_hints_by_prefix_with_one_reduction_dimension_and_a_symbolic_numel() -> None:
    (kernel,) = read_inductor_file("kernel.py", TORCH_2_6_KERNEL).kernels
    assert kernel.size_hints == (("x", 64), ("r0_", 256))
    assert kernel.numels == (("r0_", 200),)
    assert kernel.signature == (
        ("in_ptr0", "*fp32"),
        ("ks0", "i32"),
        ("out_ptr0", "*fp64"),
        ("xnumel", "i32"),
        ("rnumel", "i32"),
    )


FORMATTED = '''\
from torch._inductor.async_compile import AsyncCompile

async_compile = AsyncCompile()


# kernel path: /tmp/torchinductor_user/xy/cxytpqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl.py
# Topologically Sorted Source Nodes: [mul, add], Original ATen: [aten.mul, aten.add]
triton_poi_fused_add_mul_0 = async_compile.triton(
    "triton_poi_fused_add_mul_0",
    """
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics

@triton_heuristics.pointwise(
    size_hints={'x': 67108864},
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}},
    inductor_meta={'kernel_name': 'triton_poi_fused_add_mul_0'},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_mul_0(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 67108864
    xoffset = tl.program_id(0) * XBLOCK
""",
    device_str="cuda",
)


def partition_0(args):
    (arg0_1,) = args
    args.clear()
    assert_size_stride(
        arg0_1,
        (8192, 8192),
        (8192, 1),
    )
    with torch.cuda._DeviceGuard(0):
        buf0 = empty_strided_cuda(
            (8192, 8192), (8192, 1), torch.float32
        )
        # Topologically Sorted Source Nodes: [mul, add], Original ATen: [aten.mul, aten.add]
        stream0 = get_raw_stream(0)
        triton_poi_fused_add_mul_0.run(
            arg0_1,
            reinterpret_tensor(buf0, (8192, 8192), (1, 8192), 0),
            67108864,
            stream=stream0,
        )
    return (buf0,)


async_compile.wait(globals())
'''

FIXED_CONFIG = """\
from torch._inductor.runtime import triton_heuristics

@triton_heuristics.fixed_config(
    config={'XBLOCK': 1536},
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp16', 'out_ptr0': '*fp16', 'xnumel': 'i32'}},
    inductor_meta={'kernel_name': 'triton_red_fused_mean_0'},
)
@triton.jit
def triton_red_fused_mean_0(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 49152
"""


def test_a_wrapper_in_a_formatters_style() -> None:
    file = read_inductor_file("output_code.py", FORMATTED)
    (kernel,) = file.kernels
    assert (kernel.name, kernel.category, kernel.numels) == (
        "triton_poi_fused_add_mul_0",
        "poi",
        (("x", 67108864),),
    )
    assert kernel.original_aten == ("aten.mul", "aten.add")
    assert FORMATTED.split("\n")[kernel.line].startswith("def triton_poi_fused_add_mul_0(")
    (site,) = file.call_sites
    assert site.args == ("arg0_1", "reinterpret_tensor(buf0, (8192, 8192), (1, 8192), 0)", "67108864")
    assert site.shapes == (
        TensorShape((8192, 8192), (8192, 1), "fp32"),  # as the kernel's signature says
        TensorShape((8192, 8192), (1, 8192), "torch.float32"),
        None,
    )
    assert (site.span.start_line, site.span.end_line) == (
        FORMATTED[: FORMATTED.index(".run(")].count("\n"),
        FORMATTED[: FORMATTED.index("stream=stream0")].count("\n") + 1,
    )


def test_a_decorator_that_says_nothing_of_the_category_leaves_it_to_the_name() -> None:
    (kernel,) = read_inductor_file("kernel.py", FIXED_CONFIG).kernels
    assert (kernel.decorator, kernel.category) == ("fixed_config", "red")
    assert kernel.size_hints == ()
    assert kernel.numels == (("x", 49152),)
