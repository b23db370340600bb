# AOT ID: ['327_inference']
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


# kernel path: /tmp/torchinductor_user/a5/ca5suhzra5k5me5oliblkgbeu5p3kv4w7gwqy3fjcer7nc52xweo.py
# Unsorted Source Nodes: [], Original ATen: []
# Source node to ATen node mapping:
triton_for_fused_0 = async_compile.triton('triton_for_fused_0', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties

@triton_heuristics.foreach(
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'in_ptr3': '*fp32', 'in_ptr4': '*fp32', 'in_ptr5': '*fp32', 'out_ptr0': '*fp32', 'out_ptr1': '*fp32', 'out_ptr2': '*fp32', 'out_ptr3': '*fp32', 'out_ptr4': '*fp32', 'out_ptr5': '*fp32'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]], (9,): [['tt.divisibility', 16]], (10,): [['tt.divisibility', 16]], (11,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'SequentialComboKernelGrid', 'combo_grid_meta': {'num_kernels': 3, 'min_blocks': 0, 'autotune_grouping': True, 'block_arg_names': ('XBLOCK',), 'default_config': {'XBLOCK': 1024}, 'no_x_dim_0': False, 'xnumel_0': 35, 'no_x_dim_1': False, 'xnumel_1': 300, 'no_x_dim_2': False, 'xnumel_2': 1155}, 'kernel_name': 'triton_for_fused_0', 'mutated_arg_names': ['in_ptr1', 'in_ptr3', 'in_ptr5', 'out_ptr1', 'out_ptr3', 'out_ptr5'], 'optimize_mem': True, 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'incremental_autotune': False, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'batch_invariant': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': True, 'dynamic_disable_pipelining': True, 'are_deterministic_algorithms_enabled': False, 'profile_bandwidth': True, 'profile_bandwidth_regex': '', 'profile_bandwidth_output': None, 'profile_bandwidth_with_do_bench_using_profiling': False, 'kernel_num_gb': 2.384e-05},
)
@triton.jit
def triton_for_fused_0(in_ptr0, in_ptr1, in_ptr2, in_ptr3, in_ptr4, in_ptr5, out_ptr0, out_ptr1, out_ptr2, out_ptr3, out_ptr4, out_ptr5):
    pid = tl.program_id(0)
    XBLOCK: tl.constexpr = 1024
    num_xblocks_0 = tl.cdiv(35, XBLOCK)
    num_xblocks_1 = num_xblocks_0 + tl.cdiv(300, XBLOCK)
    num_xblocks_2 = num_xblocks_1 + tl.cdiv(1155, XBLOCK)
    if pid < num_xblocks_0:
        pid_offset = pid
        xnumel = 35
        r0_numel = 1
        foreach_arg0 = in_ptr0
        foreach_arg1 = in_ptr1
        foreach_arg2 = out_ptr0
        foreach_arg3 = out_ptr1
    elif pid < num_xblocks_1:
        pid_offset = pid - num_xblocks_0
        xnumel = 300
        r0_numel = 1
        foreach_arg0 = in_ptr2
        foreach_arg1 = in_ptr3
        foreach_arg2 = out_ptr2
        foreach_arg3 = out_ptr3
    elif pid < num_xblocks_2:
        pid_offset = pid - num_xblocks_1
        xnumel = 1155
        r0_numel = 1
        foreach_arg0 = in_ptr4
        foreach_arg1 = in_ptr5
        foreach_arg2 = out_ptr4
        foreach_arg3 = out_ptr5
    else:
        pid_offset = 0
        xnumel = 0
        r0_numel = 0
        foreach_arg0 = in_ptr0
        foreach_arg1 = in_ptr1
        foreach_arg2 = out_ptr0
        foreach_arg3 = out_ptr1
    xoffset = pid_offset * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(foreach_arg0 + (x0), xmask)
    tmp1 = tl.load(foreach_arg1 + (x0), xmask)
    tmp2 = tl.full([1], 0.1, tl.float32)
    tmp3 = tl.fma(tmp1, tmp2, tmp0)
    tmp4 = tl.full([1], 0.9, tl.float32)
    tmp5 = tl.fma(tmp3, tmp4, tmp3)
    tmp6 = tl.full([1], -0.001, tl.float32)
    tmp7 = tl.fma(tmp5, tmp6, tmp1)
    tl.store(foreach_arg2 + (x0), tmp3, xmask)
    tl.store(foreach_arg3 + (x0), tmp7, xmask)
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
        arg0_1, arg1_1, arg2_1, arg3_1, arg4_1, arg5_1 = args
        args.clear()
        start_graph()
        assert_size_stride_grouped((arg3_1, arg0_1, arg4_1, arg1_1, arg5_1, arg2_1), ((7, 5), (7, 5), (300, ), (300, ), (33, 35), (33, 35)), ((5, 1), (5, 1), (1, ), (1, ), (35, 1), (35, 1)), 'input')
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            arg3_1 = copy_if_misaligned(arg3_1)
            arg4_1 = copy_if_misaligned(arg4_1)
            arg5_1 = copy_if_misaligned(arg5_1)
            buf0 = empty_strided_cuda((7, 5), (5, 1), torch.float32)
            buf1 = empty_strided_cuda((300, ), (1, ), torch.float32)
            buf2 = empty_strided_cuda((33, 35), (35, 1), torch.float32)
            # Unsorted Source Nodes: [], Original ATen: []
            raw_stream0 = get_raw_stream(0)
            triton_for_fused_0.run(arg3_1, arg0_1, arg4_1, arg1_1, arg5_1, arg2_1, buf0, arg0_1, buf1, arg1_1, buf2, arg2_1, stream=raw_stream0)
            del arg0_1
            del arg1_1
            del arg2_1
            del arg3_1
            del arg4_1
            del arg5_1
        end_graph(None)
        return (buf1, buf0, buf2, )

runner = Runner(partitions=[])
call = runner.call
recursively_apply_fns = runner.recursively_apply_fns


def get_args():
    from torch._dynamo.testing import rand_strided
    arg0_1 = rand_strided((7, 5), (5, 1), device='cuda:0', dtype=torch.float32)
    arg1_1 = rand_strided((300, ), (1, ), device='cuda:0', dtype=torch.float32)
    arg2_1 = rand_strided((33, 35), (35, 1), device='cuda:0', dtype=torch.float32)
    arg3_1 = rand_strided((7, 5), (5, 1), device='cuda:0', dtype=torch.float32)
    arg4_1 = rand_strided((300, ), (1, ), device='cuda:0', dtype=torch.float32)
    arg5_1 = rand_strided((33, 35), (35, 1), device='cuda:0', dtype=torch.float32)
    return [arg0_1, arg1_1, arg2_1, arg3_1, arg4_1, arg5_1]


def benchmark_compiled_module(args, times=10, repeat=10):
    from torch._inductor.utils import print_performance
    fn = lambda: call(list(args))
    return print_performance(fn, times=times, repeat=repeat, device='cuda')


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    args = get_args()
    compiled_module_main('None', lambda times, repeat: benchmark_compiled_module(args, times=times, repeat=repeat))
