
from ctypes import c_void_p, c_long
import torch
import math
import random
import os
import tempfile
from math import inf, nan
from torch._inductor.hooks import run_intermediate_hooks
from torch._inductor.utils import maybe_profile
from torch._inductor.codegen.memory_planning import _align as align

from torch import device, empty, empty_strided
from torch._inductor.codecache import AsyncCompile
from torch._inductor.select_algorithm import extern_kernels

aten = torch.ops.aten
inductor_ops = torch.ops.inductor
assert_size_stride = torch._C._dynamo.guards.assert_size_stride
alloc_from_pool = torch.ops.inductor._alloc_from_pool
reinterpret_tensor = torch.ops.inductor._reinterpret_tensor
async_compile = AsyncCompile()


# kernel path: /tmp/torchinductor_user/oq/coqtw4sba7dscujbkk2wov6jr2eqyzfbvyac4cavlxhb2wuiebhg.py
# Source Nodes: [add, cat_3, mul, mul_1], Original ATen: [aten.add, aten.cat, aten.mul]
# add => add
# cat_3 => cat
# mul => mul
# mul_1 => mul_1
triton_poi_fused_add_cat_mul_0 = async_compile.triton('triton_poi_fused_add_cat_mul_0', '''
import triton
import triton.language as tl
from torch._inductor.ir import ReductionHint
from torch._inductor.ir import TileHint
from torch._inductor.triton_heuristics import AutotuneHint, pointwise
from torch._inductor.utils import instance_descriptor
from torch._inductor import triton_helpers

@pointwise(
    size_hints=[65536], 
    filename=__file__,
    triton_meta={'signature': {0: '*bf16', 1: '*i64', 2: '*fp32', 3: '*fp32', 4: '*fp32', 5: 'i32', 6: 'i32', 7: 'i32', 8: 'i32', 9: 'i32'}, 'device': 0, 'device_type': 'cuda', 'constants': {}, 'configs': [instance_descriptor(divisible_by_16=(0, 1, 2, 3, 4), equal_to_1=(), ids_of_folded_args=(), divisible_by_8=())]},
    inductor_meta={'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_cat_mul_0', 'mutated_arg_names': []},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_cat_mul_0(in_ptr0, in_ptr1, in_ptr2, in_ptr3, out_ptr0, ks0, ks1, ks2, ks3, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x4 = xindex
    x1 = (xindex // ks0) % ks1
    x3 = (xindex // ks2)
    x0 = xindex % ks0
    tmp0 = tl.load(in_ptr0 + (x4), xmask, eviction_policy='evict_last').to(tl.float32)
    tmp2 = tl.load(in_ptr1 + (x1 + (ks1*x3)), xmask, eviction_policy='evict_last')
    tmp1 = tmp0.to(tl.float32)
    tmp3 = tmp2 + ks3
    tmp4 = tmp2 < 0
    tmp5 = tl.where(tmp4, tmp3, tmp2)
    tl.device_assert(((0 <= tmp5) & (tmp5 < ks3)) | ~xmask, "index out of bounds: 0 <= tmp5 < ks3")
    tmp6 = tl.load(in_ptr2 + (x0 + (ks0*tmp5)), xmask, eviction_policy='evict_last')
    tmp7 = tmp1 * tmp6
    tmp8 = x0
    tmp9 = tl.full([1], 0, tl.int64)
    tmp10 = tmp8 >= tmp9
    tmp11 = ks0 + ((-1)*(ks0 // 2))
    tmp12 = tmp8 < tmp11
    tmp13 = tl.load(in_ptr0 + (x4 + (ks0 // 2)), tmp12 & xmask, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp14 = -tmp13
    tmp15 = tl.full(tmp14.shape, 0.0, tmp14.dtype)
    tmp16 = tl.where(tmp12, tmp14, tmp15)
    tmp17 = tmp8 >= tmp11
    tmp18 = ks0
    tmp19 = tmp8 < tmp18
    tmp20 = tl.load(in_ptr0 + (x4 + ((-1)*ks0) + (ks0 // 2)), tmp17 & xmask, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp21 = tl.full(tmp20.shape, 0.0, tmp20.dtype)
    tmp22 = tl.where(tmp17, tmp20, tmp21)
    tmp23 = tl.where(tmp12, tmp16, tmp22)
    tmp24 = tmp23.to(tl.float32)
    tmp25 = tl.load(in_ptr3 + (x0 + (ks0*tmp5)), xmask, eviction_policy='evict_last')
    tmp26 = tmp24 * tmp25
    tmp27 = tmp7 + tmp26
    tl.store(out_ptr0 + (x4), tmp27, xmask)
''')

import triton
import triton.language as tl
from torch._inductor.triton_heuristics import grid, start_graph, end_graph
from torch._C import _cuda_getCurrentRawStream as get_cuda_stream


# kernel path: /tmp/torchinductor_user/or/cor2p6n2vk4klo7ncrgubg6b3ovvsisvibp43x6u3y7ryjxor4oo.py
# Source Nodes: [add_1, cat_2, mul_2, mul_3], Original ATen: [aten.add, aten.cat, aten.mul]
# add_1 => add_1
# cat_2 => cat_1
# mul_2 => mul_2
# mul_3 => mul_3
triton_poi_fused_add_cat_mul_1 = async_compile.triton('triton_poi_fused_add_cat_mul_1', '''
import triton
import triton.language as tl
from torch._inductor.ir import ReductionHint
from torch._inductor.ir import TileHint
from torch._inductor.triton_heuristics import AutotuneHint, pointwise
from torch._inductor.utils import instance_descriptor
from torch._inductor import triton_helpers

@pointwise(
    size_hints=[16384], 
    filename=__file__,
    triton_meta={'signature': {0: '*bf16', 1: '*i64', 2: '*fp32', 3: '*fp32', 4: '*fp32', 5: 'i32', 6: 'i32', 7: 'i32', 8: 'i32', 9: 'i32'}, 'device': 0, 'device_type': 'cuda', 'constants': {}, 'configs': [instance_descriptor(divisible_by_16=(0, 1, 2, 3, 4), equal_to_1=(), ids_of_folded_args=(), divisible_by_8=())]},
    inductor_meta={'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_cat_mul_1', 'mutated_arg_names': []},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_cat_mul_1(in_ptr0, in_ptr1, in_ptr2, in_ptr3, out_ptr0, ks0, ks1, ks2, ks3, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x4 = xindex
    x1 = (xindex // ks0) % ks1
    x3 = (xindex // ks2)
    x0 = xindex % ks0
    tmp0 = tl.load(in_ptr0 + (x4), xmask, eviction_policy='evict_last').to(tl.float32)
    tmp2 = tl.load(in_ptr1 + (x1 + (ks1*x3)), xmask, eviction_policy='evict_last')
    tmp1 = tmp0.to(tl.float32)
    tmp3 = tmp2 + ks3
    tmp4 = tmp2 < 0
    tmp5 = tl.where(tmp4, tmp3, tmp2)
    tl.device_assert(((0 <= tmp5) & (tmp5 < ks3)) | ~xmask, "index out of bounds: 0 <= tmp5 < ks3")
    tmp6 = tl.load(in_ptr2 + (x0 + (ks0*tmp5)), xmask, eviction_policy='evict_last')
    tmp7 = tmp1 * tmp6
    tmp8 = x0
    tmp9 = tl.full([1], 0, tl.int64)
    tmp10 = tmp8 >= tmp9
    tmp11 = ks0 + ((-1)*(ks0 // 2))
    tmp12 = tmp8 < tmp11
    tmp13 = tl.load(in_ptr0 + (x4 + (ks0 // 2)), tmp12 & xmask, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp14 = -tmp13
    tmp15 = tl.full(tmp14.shape, 0.0, tmp14.dtype)
    tmp16 = tl.where(tmp12, tmp14, tmp15)
    tmp17 = tmp8 >= tmp11
    tmp18 = ks0
    tmp19 = tmp8 < tmp18
    tmp20 = tl.load(in_ptr0 + (x4 + ((-1)*ks0) + (ks0 // 2)), tmp17 & xmask, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp21 = tl.full(tmp20.shape, 0.0, tmp20.dtype)
    tmp22 = tl.where(tmp17, tmp20, tmp21)
    tmp23 = tl.where(tmp12, tmp16, tmp22)
    tmp24 = tmp23.to(tl.float32)
    tmp25 = tl.load(in_ptr3 + (x0 + (ks0*tmp5)), xmask, eviction_policy='evict_last')
    tmp26 = tmp24 * tmp25
    tmp27 = tmp7 + tmp26
    tl.store(out_ptr0 + (x4), tmp27, xmask)
''')


async_compile.wait(globals())
del async_compile

def call(args):
    primals_1, primals_2, primals_3, primals_4, primals_5, primals_6, primals_7, primals_8, primals_9, primals_10 = args
    args.clear()
    s0 = primals_1
    s1 = primals_2
    s2 = primals_4
    s3 = primals_5
    s4 = primals_8
    assert_size_stride(primals_3, (s0, s1), (s1, 1))
    assert_size_stride(primals_6, (s2, s3), (s3, 1))
    assert_size_stride(primals_7, (s0, s1), (s1, 1))
    assert_size_stride(primals_9, (s2, s4, s3, s1), (s1*s3*s4, s1*s3, s1, 1))
    assert_size_stride(primals_10, (s2, s2, s3, s1), (s1*s2*s3, s1*s3, s1, 1))
    ps0 = s1*s3*s4
    ps1 = s1*s2*s3
    start_graph()
    with torch.cuda._DeviceGuard(0):
        torch.cuda.set_device(0) # no-op to ensure context
        buf0 = empty((s2, s4, s3, s1), device='cuda', dtype=torch.float32)
        # Source Nodes: [add, cat_3, mul, mul_1], Original ATen: [aten.add, aten.cat, aten.mul]
        triton_poi_fused_add_cat_mul_0_xnumel = s1*s2*s3*s4
        stream0 = get_cuda_stream(0)
        triton_poi_fused_add_cat_mul_0.run(primals_9, primals_6, primals_3, primals_7, buf0, s1, s3, ps0, s0, triton_poi_fused_add_cat_mul_0_xnumel, grid=grid(triton_poi_fused_add_cat_mul_0_xnumel), stream=stream0)
        del primals_9
        buf1 = empty((s2, s2, s3, s1), device='cuda', dtype=torch.float32)
        # Source Nodes: [add_1, cat_2, mul_2, mul_3], Original ATen: [aten.add, aten.cat, aten.mul]
        triton_poi_fused_add_cat_mul_1_xnumel = s1*s3*(s2*s2)
        triton_poi_fused_add_cat_mul_1.run(primals_10, primals_6, primals_3, primals_7, buf1, s1, s3, ps1, s0, triton_poi_fused_add_cat_mul_1_xnumel, grid=grid(triton_poi_fused_add_cat_mul_1_xnumel), stream=stream0)
        del primals_10
        end_graph()
        return (buf0, buf1, primals_3, primals_6, primals_7, s4, s1, s2, s3, s0, s1, (s1 // 2), s1, (s1 // 2), s1 + ((-1)*(s1 // 2)), (s1 // 2), s2, s2, s3, s1 + ((-1)*(s1 // 2)), (s1 // 2), s2, s3, )


def benchmark_compiled_module(times=10, repeat=10):
    from torch._dynamo.testing import rand_strided
    from torch._inductor.utils import print_performance
    primals_1 = 200
    primals_2 = 48
    primals_3 = rand_strided((200, 48), (48, 1), device='cuda:0', dtype=torch.float32)
    primals_4 = 2
    primals_5 = 65
    primals_6 = rand_strided((2, 65), (65, 1), device='cuda:0', dtype=torch.int64)
    primals_7 = rand_strided((200, 48), (48, 1), device='cuda:0', dtype=torch.float32)
    primals_8 = 6
    primals_9 = rand_strided((2, 6, 65, 48), (18720, 3120, 48, 1), device='cuda:0', dtype=torch.bfloat16)
    primals_10 = rand_strided((2, 2, 65, 48), (6240, 3120, 48, 1), device='cuda:0', dtype=torch.bfloat16)
    fn = lambda: call([primals_1, primals_2, primals_3, primals_4, primals_5, primals_6, primals_7, primals_8, primals_9, primals_10])
    return print_performance(fn, times=times, repeat=repeat)


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    compiled_module_main('None', benchmark_compiled_module)
