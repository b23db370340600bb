# AOT ID: ['7_inference']
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


# kernel path: /tmp/torchinductor_user/7d/c7dzvfxon32tvq7cyk3yns5lkgcigpm2fp7nbrioomj5sbjtw2tx.py
# Unsorted Source Nodes: [], Original ATen: []
# Source node to ATen node mapping:
triton_poi_fused_0 = async_compile.triton('triton_poi_fused_0', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties

@triton.jit(noinline=True)
def triton_poi_fused_0_body_0(in_ptr0, out_ptr0, xnumel, x_pid_offset, XBLOCK : tl.constexpr):
    r0_numel = 1
    xoffset = x_pid_offset * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tl_math.sin(tmp0)
    tmp2 = tl.full([1], 2.0, tl.float32)
    tmp3 = tmp1 * tmp2
    tmp4 = tl_math.cos(tmp0)
    tmp5 = tmp3 + tmp4
    tl.store(out_ptr0 + (x0), tmp5, xmask)


@triton_heuristics.pointwise(
    size_hints={'x': 2048}, tile_hint=TileHint.DEFAULT,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'in_ptr3': '*fp32', 'in_ptr4': '*fp32', 'out_ptr0': '*fp32', 'out_ptr1': '*fp32', 'out_ptr2': '*fp32', 'out_ptr3': '*fp32', 'out_ptr4': '*fp32', 'xnumel_0': 'i32', 'xnumel_1': 'i32', 'xnumel_2': 'i32', 'xnumel_3': 'i32', 'xnumel_4': 'i32', 'XBLOCK_0': 'constexpr', 'XBLOCK_1': 'constexpr', 'XBLOCK_2': 'constexpr', 'XBLOCK_3': 'constexpr', 'XBLOCK_4': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]], (9,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'SequentialFlattenComboKernelGrid', 'combo_grid_meta': {'num_kernels': 5, 'min_blocks': None, 'autotune_grouping': True, 'block_arg_names': ('XBLOCK_0', 'XBLOCK_1', 'XBLOCK_2', 'XBLOCK_3', 'XBLOCK_4'), 'default_config': None, 'no_x_dim_0': False, 'heuristic_0': 'pointwise', 'size_hints_0': {'x': 16}, 'inductor_meta_0': {'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'autotune_hints': set(), 'tiling_scores': {'x': 180}, 'kernel_num_gb': 1.2e-07}, 'tile_hint_0': 'TileHint.DEFAULT', 'xnumel_0': None, 'no_x_dim_1': False, 'heuristic_1': 'pointwise', 'size_hints_1': {'x': 256}, 'inductor_meta_1': {'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'autotune_hints': set(), 'tiling_scores': {'x': 1920}, 'kernel_num_gb': 1.28e-06}, 'tile_hint_1': 'TileHint.DEFAULT', 'xnumel_1': None, 'no_x_dim_2': False, 'heuristic_2': 'pointwise', 'size_hints_2': {'x': 512}, 'inductor_meta_2': {'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'autotune_hints': set(), 'tiling_scores': {'x': 5508}, 'kernel_num_gb': 3.672e-06}, 'tile_hint_2': 'TileHint.DEFAULT', 'xnumel_2': None, 'no_x_dim_3': False, 'heuristic_3': 'pointwise', 'size_hints_3': {'x': 1024}, 'inductor_meta_3': {'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'autotune_hints': set(), 'tiling_scores': {'x': 10944}, 'kernel_num_gb': 7.296e-06}, 'tile_hint_3': 'TileHint.DEFAULT', 'xnumel_3': None, 'no_x_dim_4': False, 'heuristic_4': 'pointwise', 'size_hints_4': {'x': 2048}, 'inductor_meta_4': {'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'autotune_hints': set(), 'tiling_scores': {'x': 18228}, 'kernel_num_gb': 1.2152e-05}, 'tile_hint_4': 'TileHint.DEFAULT', 'xnumel_4': None}, 'kernel_name': 'triton_poi_fused_0', 'mutated_arg_names': [], 'optimize_mem': True, 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'incremental_autotune': False, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'batch_invariant': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': True, 'dynamic_disable_pipelining': True, 'are_deterministic_algorithms_enabled': False, 'profile_bandwidth': True, 'profile_bandwidth_regex': '', 'profile_bandwidth_output': None, 'profile_bandwidth_with_do_bench_using_profiling': False, 'kernel_num_gb': 2.4520000000000002e-05}
)
@triton.jit
def triton_poi_fused_0(in_ptr0, in_ptr1, in_ptr2, in_ptr3, in_ptr4, out_ptr0, out_ptr1, out_ptr2, out_ptr3, out_ptr4, xnumel_0, xnumel_1, xnumel_2, xnumel_3, xnumel_4, XBLOCK_0 : tl.constexpr, XBLOCK_1 : tl.constexpr, XBLOCK_2 : tl.constexpr, XBLOCK_3 : tl.constexpr, XBLOCK_4 : tl.constexpr):
    pid = tl.program_id(0)
    x_blocks_0 = tl.cdiv(xnumel_0, XBLOCK_0)
    num_blocks_0 = x_blocks_0
    x_blocks_1 = tl.cdiv(xnumel_1, XBLOCK_1)
    num_blocks_1 = num_blocks_0 + x_blocks_1
    x_blocks_2 = tl.cdiv(xnumel_2, XBLOCK_2)
    num_blocks_2 = num_blocks_1 + x_blocks_2
    x_blocks_3 = tl.cdiv(xnumel_3, XBLOCK_3)
    num_blocks_3 = num_blocks_2 + x_blocks_3
    x_blocks_4 = tl.cdiv(xnumel_4, XBLOCK_4)
    num_blocks_4 = num_blocks_3 + x_blocks_4
    if pid < num_blocks_0:
        local_pid = pid
        x_pid_offset = local_pid
        triton_poi_fused_0_body_0(in_ptr0, out_ptr0, xnumel_0, x_pid_offset, XBLOCK_0)
    elif pid < num_blocks_1:
        local_pid = pid - num_blocks_0
        x_pid_offset = local_pid
        triton_poi_fused_0_body_0(in_ptr1, out_ptr1, xnumel_1, x_pid_offset, XBLOCK_1)
    elif pid < num_blocks_2:
        local_pid = pid - num_blocks_1
        x_pid_offset = local_pid
        triton_poi_fused_0_body_0(in_ptr2, out_ptr2, xnumel_2, x_pid_offset, XBLOCK_2)
    elif pid < num_blocks_3:
        local_pid = pid - num_blocks_2
        x_pid_offset = local_pid
        triton_poi_fused_0_body_0(in_ptr3, out_ptr3, xnumel_3, x_pid_offset, XBLOCK_3)
    elif pid < num_blocks_4:
        local_pid = pid - num_blocks_3
        x_pid_offset = local_pid
        triton_poi_fused_0_body_0(in_ptr4, out_ptr4, xnumel_4, x_pid_offset, XBLOCK_4)
    else:
        pass
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
        arg0_1, arg1_1, arg2_1, arg3_1, arg4_1, arg5_1, arg6_1, arg7_1, arg8_1, arg9_1, arg10_1, arg11_1, arg12_1, arg13_1, arg14_1 = args
        args.clear()
        s10 = arg0_1
        s21 = arg1_1
        s86 = arg3_1
        s12 = arg4_1
        s4 = arg6_1
        s11 = arg7_1
        s30 = arg9_1
        s94 = arg10_1
        s46 = arg12_1
        s18 = arg13_1
        start_graph()
        assert_size_stride_grouped((arg2_1, arg5_1, arg8_1, arg11_1, arg14_1), ((s10, s21), (s86, s12), (s4, s11), (s30, s94), (s46, s18)), ((s21, 1), (s12, 1), (s11, 1), (s94, 1), (s18, 1)), 'input')
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            arg2_1 = copy_if_misaligned(arg2_1)
            arg5_1 = copy_if_misaligned(arg5_1)
            arg8_1 = copy_if_misaligned(arg8_1)
            arg11_1 = copy_if_misaligned(arg11_1)
            arg14_1 = copy_if_misaligned(arg14_1)
            buf0 = empty_strided_cuda((s10, s21), (s21, 1), torch.float32)
            buf1 = empty_strided_cuda((s86, s12), (s12, 1), torch.float32)
            buf2 = empty_strided_cuda((s4, s11), (s11, 1), torch.float32)
            buf3 = empty_strided_cuda((s30, s94), (s94, 1), torch.float32)
            buf4 = empty_strided_cuda((s46, s18), (s18, 1), torch.float32)
            # Topologically Sorted Source Nodes: [sin, mul, cos, add, sin_1, mul_1, cos_1, add_1, sin_2, mul_2, cos_2, add_2, sin_3, mul_3, cos_3, add_3, sin_4, mul_4, cos_4, add_4], Original ATen: [aten.sin, aten.mul, aten.cos, aten.add]
            triton_poi_fused_0_xnumel_0 = s10*s21
            triton_poi_fused_0_xnumel_1 = s12*s86
            triton_poi_fused_0_xnumel_2 = s11*s4
            triton_poi_fused_0_xnumel_3 = s30*s94
            triton_poi_fused_0_xnumel_4 = s18*s46
            raw_stream0 = get_raw_stream(0)
            triton_poi_fused_0.run(arg2_1, arg5_1, arg8_1, arg11_1, arg14_1, buf0, buf1, buf2, buf3, buf4, triton_poi_fused_0_xnumel_0, triton_poi_fused_0_xnumel_1, triton_poi_fused_0_xnumel_2, triton_poi_fused_0_xnumel_3, triton_poi_fused_0_xnumel_4, stream=raw_stream0)
            del arg11_1
            del arg14_1
            del arg2_1
            del arg5_1
            del arg8_1
        end_graph(None)
        return (buf0, buf1, buf2, buf3, buf4, )

runner = Runner(partitions=[])
call = runner.call
recursively_apply_fns = runner.recursively_apply_fns


def get_args():
    from torch._dynamo.testing import rand_strided
    arg0_1 = 3
    arg1_1 = 5
    arg2_1 = rand_strided((3, 5), (5, 1), device='cuda:0', dtype=torch.float32)
    arg3_1 = 10
    arg4_1 = 16
    arg5_1 = rand_strided((10, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg6_1 = 17
    arg7_1 = 27
    arg8_1 = rand_strided((17, 27), (27, 1), device='cuda:0', dtype=torch.float32)
    arg9_1 = 24
    arg10_1 = 38
    arg11_1 = rand_strided((24, 38), (38, 1), device='cuda:0', dtype=torch.float32)
    arg12_1 = 31
    arg13_1 = 49
    arg14_1 = rand_strided((31, 49), (49, 1), device='cuda:0', dtype=torch.float32)
    return [arg0_1, arg1_1, arg2_1, arg3_1, arg4_1, arg5_1, arg6_1, arg7_1, arg8_1, arg9_1, arg10_1, arg11_1, arg12_1, arg13_1, arg14_1]


def benchmark_compiled_module(args, times=10, repeat=10):
    from torch._inductor.utils import print_performance
    fn = lambda: call(list(args))
    return print_performance(fn, times=times, repeat=repeat, device='cuda')


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    args = get_args()
    compiled_module_main('None', lambda times, repeat: benchmark_compiled_module(args, times=times, repeat=repeat))
