# AOT ID: ['331_inference']
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
from torch._C._dynamo.guards import copy_if_misaligned
import triton
import triton.language as tl
from torch._inductor.runtime.triton_heuristics import start_graph, end_graph
from torch._C import _cuda_getCurrentRawStream as get_raw_stream

aten = torch.ops.aten
inductor_ops = torch.ops.inductor
_quantized = torch.ops._quantized
assert_size_stride = torch._C._dynamo.guards.assert_size_stride
assert_size_stride_grouped = torch._C._dynamo.guards.assert_size_stride_grouped
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


# kernel path: /tmp/torchinductor_user/6c/c6cn3bwcwcjymqupyyklxsnfquw7zm4ayuzcll4kvv3urqg4dvbe.py
# Topologically Sorted Source Nodes: [transpose, add, sum_2], Original ATen: [aten.transpose, aten.add, aten.sum]
# Source node to ATen node mapping:
#   add => add
#   sum_2 => sum_2
#   transpose => permute
# Graph fragment:
#   %arg0_1 : Tensor "f32[64, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=arg0_1]
#   %arg1_1 : Tensor "f32[64, 256, 128][32768, 128, 1]cuda:0" = PlaceHolder[target=arg1_1]
#   %permute : Tensor "f32[64, 256, 128][32768, 1, 256]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.permute.default](args = (%arg0_1, [0, 2, 1]), kwargs = {})
#   %add : Tensor "f32[64, 256, 128][32768, 1, 256]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%permute, %arg1_1), kwargs = {})
#   %sum_2 : Tensor "f32[256][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%arg1_1, [0, 2]), kwargs = {})
#   return %add,%sum_2
triton_red_fused_add_sum_transpose_0 = async_compile.triton('triton_red_fused_add_sum_transpose_0', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.reduction(
    size_hints={'x': 256, 'r0_': 8192},
    reduction_hint=ReductionHint.DEFAULT,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'out_ptr1': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr', 'R0_BLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'kernel_name': 'triton_red_fused_add_sum_transpose_0', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 2, 'num_reduction': 1, 'autotune_hints': set(), 'tiling_scores': {'x': 25167872, 'r0_': 8388608}, 'kernel_num_gb': 0.025166848, 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'incremental_autotune': False, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'batch_invariant': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': True, 'dynamic_disable_pipelining': True, 'are_deterministic_algorithms_enabled': False, 'profile_bandwidth': True, 'profile_bandwidth_regex': '', 'profile_bandwidth_output': None, 'profile_bandwidth_with_do_bench_using_profiling': False}
)
@triton.jit
def triton_red_fused_add_sum_transpose_0(in_ptr0, in_ptr1, out_ptr0, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
    xnumel = 256
    r0_numel = 8192
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    rbase = r0_base
    x0 = xindex
    block_ptr0 = tl.make_block_ptr(in_ptr0, shape=[256, 8192], strides=[1, 256], block_shape=[XBLOCK, R0_BLOCK], order=[0, 1], offsets=[xoffset, 0])
    block_ptr1 = tl.make_block_ptr(in_ptr1, shape=[256, 64, 128], strides=[128, 32768, 1], block_shape=[XBLOCK, (127 + R0_BLOCK) // 128, ((128) * ((128) <= (R0_BLOCK)) + (R0_BLOCK) * ((R0_BLOCK) < (128)))], order=[2, 0, 1], offsets=[xoffset, 0, 0])
    block_ptr2 = tl.make_block_ptr(out_ptr0, shape=[256, 8192], strides=[1, 256], block_shape=[XBLOCK, R0_BLOCK], order=[0, 1], offsets=[xoffset, 0])
    _tmp4 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_3 = r0_index
        r0_1 = (r0_index % 128)
        r0_2 = r0_index // 128
        tmp0 = tl.load(block_ptr0, boundary_check=[0, 1], padding_option='zero', eviction_policy='evict_first')
        tmp1 = tl.reshape(tl.broadcast_to(tl.load(block_ptr1, boundary_check=[0, 1], padding_option='zero', eviction_policy='evict_first')[:, :, None, :], [XBLOCK, (127 + R0_BLOCK) // 128, ((1) * ((1) <= ((127 + R0_BLOCK) // 128)) + ((127 + R0_BLOCK) // 128) * (((127 + R0_BLOCK) // 128) < (1))), ((128) * ((128) <= (R0_BLOCK)) + (R0_BLOCK) * ((R0_BLOCK) < (128)))]), [XBLOCK, R0_BLOCK])
        tmp2 = tmp0 + tmp1
        tmp3 = tl.broadcast_to(tmp1, [XBLOCK, R0_BLOCK])
        tmp5 = _tmp4 + tmp3
        _tmp4 = tl.where(r0_mask & xmask, tmp5, _tmp4)
        tl.store(block_ptr2, tl.broadcast_to(tmp2, [XBLOCK, R0_BLOCK]).to(tl.float32), boundary_check=[0, 1])
        block_ptr0 = tl.advance(block_ptr0, [0, R0_BLOCK])
        block_ptr1 = tl.advance(block_ptr1, [0, R0_BLOCK // 128, (R0_BLOCK % 128)])
        block_ptr2 = tl.advance(block_ptr2, [0, R0_BLOCK])
    tmp4 = tl.sum(_tmp4, 1)[:, None]
    tl.store(tl.make_block_ptr(out_ptr1, shape=[256], strides=[1], block_shape=[XBLOCK], order=[0], offsets=[xoffset]), tl.reshape(tl.broadcast_to(tmp4, [XBLOCK, 1]), [XBLOCK]).to(tl.float32), boundary_check=[0])
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/yb/cyblafvn3odxbe53svnlrxduwtzquxfzjpaaikegkohi5mqia5jb.py
# Topologically Sorted Source Nodes: [sum_1], Original ATen: [aten.sum]
# Source node to ATen node mapping:
#   sum_1 => sum_1
# Graph fragment:
#   %arg0_1 : Tensor "f32[64, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=arg0_1]
#   %sum_1 : Tensor "f32[64, 256][256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%arg0_1, [1]), kwargs = {})
#   return %sum_1
triton_red_fused_sum_1 = async_compile.triton('triton_red_fused_sum_1', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.reduction(
    size_hints={'x': 16384, 'r0_': 128},
    reduction_hint=ReductionHint.DEFAULT,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr', 'R0_BLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'kernel_name': 'triton_red_fused_sum_1', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 1, 'autotune_hints': set(), 'tiling_scores': {'x': 8519680, 'r0_': 0}, 'kernel_num_gb': 0.008454144, 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'incremental_autotune': False, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'batch_invariant': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': True, 'dynamic_disable_pipelining': True, 'are_deterministic_algorithms_enabled': False, 'profile_bandwidth': True, 'profile_bandwidth_regex': '', 'profile_bandwidth_output': None, 'profile_bandwidth_with_do_bench_using_profiling': False}
)
@triton.jit
def triton_red_fused_sum_1(in_ptr0, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
    xnumel = 16384
    r0_numel = 128
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = tl.full([XBLOCK], True, tl.int1)[:, None]
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    rbase = r0_base
    x0 = (xindex % 256)
    x1 = xindex // 256
    block_ptr0 = tl.make_block_ptr(in_ptr0, shape=[64, 256, 128], strides=[32768, 1, 256], block_shape=[(255 + XBLOCK) // 256, ((256) * ((256) <= (XBLOCK)) + (XBLOCK) * ((XBLOCK) < (256))), R0_BLOCK], order=[1, 2, 0], offsets=[xoffset // 256, (xoffset % 256), 0])
    _tmp2 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    x3 = xindex
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_2 = r0_index
        tmp0 = tl.reshape(tl.load(block_ptr0, boundary_check=[2], padding_option='zero', eviction_policy='evict_first'), [XBLOCK, R0_BLOCK])
        tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
        tmp3 = _tmp2 + tmp1
        _tmp2 = tl.where(r0_mask, tmp3, _tmp2)
        block_ptr0 = tl.advance(block_ptr0, [0, 0, R0_BLOCK])
    tmp2 = tl.sum(_tmp2, 1)[:, None]
    tl.store(tl.make_block_ptr(out_ptr0, shape=[16384], strides=[1], block_shape=[XBLOCK], order=[0], offsets=[xoffset]), tl.reshape(tl.broadcast_to(tmp2, [XBLOCK, 1]), [XBLOCK]).to(tl.float32), boundary_check=[])
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
        start_graph()
        assert_size_stride_grouped((arg0_1, arg1_1), ((64, 128, 256), (64, 256, 128)), ((32768, 256, 1), (32768, 128, 1)), 'input')
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            arg0_1 = copy_if_misaligned(arg0_1)
            arg1_1 = copy_if_misaligned(arg1_1)
            buf0 = empty_strided_cuda((64, 256, 128), (32768, 1, 256), torch.float32)
            buf2 = empty_strided_cuda((256, ), (1, ), torch.float32)
            # Topologically Sorted Source Nodes: [transpose, add, sum_2], Original ATen: [aten.transpose, aten.add, aten.sum]
            raw_stream0 = get_raw_stream(0)
            triton_red_fused_add_sum_transpose_0.run(arg0_1, arg1_1, buf0, buf2, 256, 8192, stream=raw_stream0)
            del arg1_1
            buf1 = empty_strided_cuda((64, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [sum_1], Original ATen: [aten.sum]
            raw_stream0 = get_raw_stream(0)
            triton_red_fused_sum_1.run(arg0_1, buf1, 16384, 128, stream=raw_stream0)
            del arg0_1
        end_graph(None)
        return (buf0, buf1, buf2, )

runner = Runner(partitions=[])
call = runner.call
recursively_apply_fns = runner.recursively_apply_fns


def get_args():
    from torch._dynamo.testing import rand_strided
    arg0_1 = rand_strided((64, 128, 256), (32768, 256, 1), device='cuda:0', dtype=torch.float32)
    arg1_1 = rand_strided((64, 256, 128), (32768, 128, 1), device='cuda:0', dtype=torch.float32)
    return [arg0_1, arg1_1]


def benchmark_compiled_module(args, times=10, repeat=10):
    from torch._inductor.utils import print_performance
    fn = lambda: call(list(args))
    return print_performance(fn, times=times, repeat=repeat, device='cuda')


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    args = get_args()
    compiled_module_main('None', lambda times, repeat: benchmark_compiled_module(args, times=times, repeat=repeat))
