# AOT ID: ['96_inference']
from ctypes import c_void_p, c_long, c_int
import torch
import math
import random
import os
import tempfile
from math import inf, nan
from cmath import nanj
from torch._inductor.hooks import run_intermediate_hooks
from torch._inductor.utils import maybe_profile
from torch._inductor.codegen.memory_planning import _align as align
from torch import device, empty_strided
from torch._inductor.async_compile import AsyncCompile
from torch._inductor.select_algorithm import extern_kernels
import triton
import triton.language as tl
from torch._inductor.runtime.triton_heuristics import start_graph, end_graph
from torch._C import _cuda_getCurrentRawStream as get_raw_stream

aten = torch.ops.aten
inductor_ops = torch.ops.inductor
_quantized = torch.ops._quantized
assert_size_stride = torch._C._dynamo.guards.assert_size_stride
assert_alignment = torch._C._dynamo.guards.assert_alignment
empty_strided_cpu = torch._C._dynamo.guards._empty_strided_cpu
empty_strided_cpu_pinned = torch._C._dynamo.guards._empty_strided_cpu_pinned
empty_strided_cuda = torch._C._dynamo.guards._empty_strided_cuda
empty_strided_xpu = torch._C._dynamo.guards._empty_strided_xpu
empty_strided_mtia = torch._C._dynamo.guards._empty_strided_mtia
reinterpret_tensor = torch._C._dynamo.guards._reinterpret_tensor
alloc_from_pool = torch.ops.inductor._alloc_from_pool
async_compile = AsyncCompile()
empty_strided_p2p = torch._C._distributed_c10d._SymmetricMemory.empty_strided_p2p


# kernel path: /tmp/torchinductor_user/so/csof7sj4y37q7wuczdsd4hn4eacy5qumucjwi5etgsho52cjeweb.py
# Topologically Sorted Source Nodes: [take_along_dim, take, flatten, getitem], Original ATen: [aten.gather, aten.take, aten.view, aten.index]
# Source node to ATen node mapping:
#   flatten => view_1
#   getitem => index_1
#   take => index, view
#   take_along_dim => gather
# Graph fragment:
#   %expand : Tensor "i64[100, 7][7, 1]cuda:0" = PlaceHolder[target=expand]
#   %expand_1 : Tensor "f32[100, 33][33, 1]cuda:0" = PlaceHolder[target=expand_1]
#   %gather : Tensor "f32[100, 7][7, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.gather.default](args = (%expand_1, 1, %expand), kwargs = {})
#   %view : Tensor "f32[3300][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%arg0_1, [-1]), kwargs = {})
#   %index : Tensor "f32[100, 7][7, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index.Tensor](args = (%view, [%arg1_1]), kwargs = {})
#   %view_1 : Tensor "f32[3300][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%arg0_1, [3300]), kwargs = {})
#   %index_1 : Tensor "f32[100, 7][7, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index.Tensor](args = (%view_1, [%arg1_1]), kwargs = {})
#   return %gather,%index,%index_1
triton_poi_fused_gather_index_take_view_0 = async_compile.triton('triton_poi_fused_gather_index_take_view_0', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 1024}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'out_ptr1': '*fp32', 'out_ptr2': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, warp_size=32), 'constants': {}, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_gather_index_take_view_0', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'num_load': 1, 'num_reduction': 0, 'are_deterministic_algorithms_enabled': False, 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'profile_bandwidth': True, 'profile_bandwidth_regex': '', 'profile_bandwidth_output': None, 'profile_bandwidth_with_do_bench_using_profiling': False, 'kernel_num_gb': 1.96e-05},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_gather_index_take_view_0(in_ptr0, in_ptr1, out_ptr0, out_ptr1, out_ptr2, xnumel, XBLOCK : tl.constexpr):
    xnumel = 700
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x2 = xindex
    x1 = xindex // 7
    tmp0 = tl.load(in_ptr0 + (x2), xmask)
    tmp1 = tl.full([XBLOCK], 33, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 33)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 33")
    tmp6 = tl.load(in_ptr1 + (tmp4 + 33*x1), xmask, eviction_policy='evict_last')
    tmp7 = tl.full([XBLOCK], 3300, tl.int32)
    tmp8 = tmp0 + tmp7
    tmp9 = tl.where(tmp3, tmp8, tmp0)
    tl.device_assert(((0 <= tmp9) & (tmp9 < 3300)) | ~(xmask), "index out of bounds: 0 <= tmp9 < 3300")
    tmp11 = tl.load(in_ptr1 + (tmp9), xmask, eviction_policy='evict_last')
    tl.store(out_ptr0 + (x2), tmp6, xmask)
    tl.store(out_ptr1 + (x2), tmp11, xmask)
    tl.store(out_ptr2 + (x2), tmp11, xmask)
''', device_str='cuda')


async_compile.wait(globals())
del async_compile

class Runner:
    def __init__(self, partitions):
        self.partitions = partitions

    def recursively_apply_fns(self, fns):
        new_callables = []
        for fn, c in zip(fns, self.partitions):
            new_callables.append(fn(c))
        self.partitions = new_callables

    def call(self, args):
        arg0_1, arg1_1 = args
        args.clear()
        assert_size_stride(arg0_1, (100, 33), (33, 1))
        assert_size_stride(arg1_1, (100, 7), (7, 1))
        start_graph()
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            buf0 = empty_strided_cuda((100, 7), (7, 1), torch.float32)
            buf1 = empty_strided_cuda((100, 7), (7, 1), torch.float32)
            buf2 = empty_strided_cuda((100, 7), (7, 1), torch.float32)
            # Topologically Sorted Source Nodes: [take_along_dim, take, flatten, getitem], Original ATen: [aten.gather, aten.take, aten.view, aten.index]
            stream0 = get_raw_stream(0)
            triton_poi_fused_gather_index_take_view_0.run(arg1_1, arg0_1, buf0, buf1, buf2, 700, stream=stream0)
            del arg0_1
            del arg1_1
        end_graph(None)
        return (buf0, buf1, buf2, )

runner = Runner(partitions=[])
call = runner.call
recursively_apply_fns = runner.recursively_apply_fns


def benchmark_compiled_module(times=10, repeat=10):
    from torch._dynamo.testing import rand_strided
    from torch._inductor.utils import print_performance
    arg0_1 = rand_strided((100, 33), (33, 1), device='cuda:0', dtype=torch.float32)
    arg1_1 = rand_strided((100, 7), (7, 1), device='cuda:0', dtype=torch.int64)
    fn = lambda: call([arg0_1, arg1_1])
    return print_performance(fn, times=times, repeat=repeat)


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    compiled_module_main('None', benchmark_compiled_module)
