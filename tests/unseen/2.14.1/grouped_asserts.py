# AOT ID: ['224_forward']
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


# kernel path: /tmp/torchinductor_user/wk/cwkxxa6y5sx3rr4kwffsplukmbsqpmzun3oxfikektogcattn3cc.py
# Topologically Sorted Source Nodes: [getitem, arange, getitem_5, getitem_10, sub, mul, add, softmax], Original ATen: [aten.unsqueeze, aten.arange, aten.sub, aten.mul, aten.add, prims.prepare_softmax_online, aten._softmax]
# Source node to ATen node mapping:
#   add => add_29
#   arange => iota
#   getitem => unsqueeze, unsqueeze_1
#   getitem_10 => unsqueeze_3
#   getitem_5 => unsqueeze_2
#   mul => mul_11
#   softmax => div, exp_default, sub_tensor
#   sub => sub_12
# Graph fragment:
#   %primals_5 : Tensor "f32[s75, s19, s89, s89][s19*s89**2, s89**2, s89, 1]cuda:0" = PlaceHolder[target=primals_5]
#   %primals_2 : Tensor "f32[s19][1]cuda:0" = PlaceHolder[target=primals_2]
#   %getitem : Tensor "f32[s75, s19, s89, 1][s19*s89, s89, 1, s19*s75*s89]cuda:0" = PlaceHolder[target=getitem]
#   %getitem_1 : Tensor "f32[s75, s19, s89, 1][s19*s89, s89, 1, s19*s75*s89]cuda:0" = PlaceHolder[target=getitem_1]
#   %unsqueeze : Tensor "f32[s19, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%primals_2, 1), kwargs = {})
#   %unsqueeze_1 : Tensor "f32[s19, 1, 1][1, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%unsqueeze, 2), kwargs = {})
#   %iota : Tensor "i64[s89][1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.iota.default](args = (%primals_4,), kwargs = {start: 0, step: 1, dtype: torch.int64, device: cuda:0, requires_grad: False})
#   %unsqueeze_2 : Tensor "i64[1, s89][s89, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%iota, 0), kwargs = {})
#   %unsqueeze_3 : Tensor "i64[s89, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%iota, 1), kwargs = {})
#   %sub_12 : Tensor "i64[s89, s89][s89, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%unsqueeze_2, %unsqueeze_3), kwargs = {})
#   %mul_11 : Tensor "f32[s19, s89, s89][s89**2, s89, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%unsqueeze_1, %sub_12), kwargs = {})
#   %add_29 : Tensor "f32[s75, s19, s89, s89][s19*s89**2, s89**2, s89, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%primals_5, %mul_11), kwargs = {})
#   %prepare_softmax_online_default : [num_users=2] = call_function[target=torch.ops.prims.prepare_softmax_online.default](args = (%add_29, -1), kwargs = {})
#   %sub_tensor : Tensor "f32[s75, s19, s89, s89][s19*s89**2, s89**2, s89, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%add_29, %getitem), kwargs = {})
#   %exp_default : Tensor "f32[s75, s19, s89, s89][s19*s89**2, s89**2, s89, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.exp.default](args = (%sub_tensor,), kwargs = {})
#   %div : Tensor "f32[s75, s19, s89, s89][s19*s89**2, s89**2, s89, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%exp_default, %getitem_1), kwargs = {})
#   return %getitem,%getitem_1,%div
triton_red_fused__softmax_add_arange_mul_prepare_softmax_online_sub_unsqueeze_0 = async_compile.triton('triton_red_fused__softmax_add_arange_mul_prepare_softmax_online_sub_unsqueeze_0', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.reduction(
    size_hints={'x': 512, 'r0_': 128},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'out_ptr2': '*fp32', 'ks0': 'i64', 'ks1': 'i64', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr', 'R0_BLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'kernel_name': 'triton_red_fused__softmax_add_arange_mul_prepare_softmax_online_sub_unsqueeze_0', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 4, 'num_store': 1, 'num_reduction': 2, 'autotune_hints': set(), 'tiling_scores': {'x': 0, 'r0_': 304200}, 'kernel_num_gb': 0.000202812, 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'incremental_autotune': False, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'batch_invariant': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': True, 'dynamic_disable_pipelining': True, 'are_deterministic_algorithms_enabled': False, 'profile_bandwidth': True, 'profile_bandwidth_regex': '', 'profile_bandwidth_output': None, 'profile_bandwidth_with_do_bench_using_profiling': False}
)
@triton.jit
def triton_red_fused__softmax_add_arange_mul_prepare_softmax_online_sub_unsqueeze_0(in_ptr0, in_ptr1, out_ptr2, ks0, ks1, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    rbase = r0_base
    x4 = xindex
    x1 = ((xindex // ks0) % ks1)
    tmp1 = tl.load(in_ptr1 + (x1), xmask, eviction_policy='evict_last')
    x0 = (xindex % ks0)
    _tmp7 = tl.full([XBLOCK, R0_BLOCK], float("-inf"), tl.float32)
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_3 = r0_index
        tmp0 = tl.load(in_ptr0 + (r0_3 + ks0*x4), r0_mask & xmask, eviction_policy='evict_last', other=0.0)
        tmp2 = (r0_3 + ((-1)*x0)).to(tl.float32)
        tmp3 = (tmp2).to(tl.float32)
        tmp4 = tmp1 * tmp3
        tmp5 = tmp0 + tmp4
        tmp6 = tl.broadcast_to(tmp5, [XBLOCK, R0_BLOCK])
        tmp8 = tl.maximum(_tmp7, tmp6, tl.PropagateNan.ALL)
        _tmp7 = tl.where(r0_mask & xmask, tmp8, _tmp7)
    tmp7 = triton_helpers.max2(_tmp7, 1)[:, None]
    _tmp17 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_3 = r0_index
        tmp9 = tl.load(in_ptr0 + (r0_3 + ks0*x4), r0_mask & xmask, eviction_policy='evict_last', other=0.0)
        tmp10 = (r0_3 + ((-1)*x0)).to(tl.float32)
        tmp11 = (tmp10).to(tl.float32)
        tmp12 = tmp1 * tmp11
        tmp13 = tmp9 + tmp12
        tmp14 = tmp13 - tmp7
        tmp15 = libdevice.exp(tmp14)
        tmp16 = tl.broadcast_to(tmp15, [XBLOCK, R0_BLOCK])
        tmp18 = _tmp17 + tmp16
        _tmp17 = tl.where(r0_mask & xmask, tmp18, _tmp17)
    tmp17 = tl.sum(_tmp17, 1)[:, None]
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_3 = r0_index
        tmp19 = tl.load(in_ptr0 + (r0_3 + ks0*x4), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp20 = (r0_3 + ((-1)*x0)).to(tl.float32)
        tmp21 = (tmp20).to(tl.float32)
        tmp22 = tmp1 * tmp21
        tmp23 = tmp19 + tmp22
        tmp24 = tmp23 - tmp7
        tmp25 = libdevice.exp(tmp24)
        tmp26 = (tmp25 / tmp17)
        tl.store(out_ptr2 + (r0_3 + ks0*x4), tmp26, r0_mask & xmask)
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
        primals_1, primals_2, primals_3, primals_4, primals_5 = args
        args.clear()
        s19 = primals_1
        s75 = primals_3
        s89 = primals_4
        start_graph()
        assert_size_stride_grouped((primals_5, primals_2), ((s75, s19, s89, s89), (s19, )), ((s19*s89*s89, s89*s89, s89, 1), (1, )), 'input')
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            primals_5 = copy_if_misaligned(primals_5)
            primals_2 = copy_if_misaligned(primals_2)
            buf2 = empty_strided_cuda((s75, s19, s89, s89), (s19*s89*s89, s89*s89, s89, 1), torch.float32)
            # Topologically Sorted Source Nodes: [getitem, arange, getitem_5, getitem_10, sub, mul, add, softmax], Original ATen: [aten.unsqueeze, aten.arange, aten.sub, aten.mul, aten.add, prims.prepare_softmax_online, aten._softmax]
            triton_red_fused__softmax_add_arange_mul_prepare_softmax_online_sub_unsqueeze_0_xnumel = s19*s75*s89
            raw_stream0 = get_raw_stream(0)
            triton_red_fused__softmax_add_arange_mul_prepare_softmax_online_sub_unsqueeze_0.run(primals_5, primals_2, buf2, s89, s19, triton_red_fused__softmax_add_arange_mul_prepare_softmax_online_sub_unsqueeze_0_xnumel, s89, stream=raw_stream0)
            del primals_2
            del primals_5
        end_graph(None)
        return (buf2, buf2, s19, s75, s89, )

runner = Runner(partitions=[])
call = runner.call
recursively_apply_fns = runner.recursively_apply_fns


def get_args():
    from torch._dynamo.testing import rand_strided
    primals_1 = 3
    primals_2 = rand_strided((3, ), (1, ), device='cuda:0', dtype=torch.float32)
    primals_3 = 2
    primals_4 = 65
    primals_5 = rand_strided((2, 3, 65, 65), (12675, 4225, 65, 1), device='cuda:0', dtype=torch.float32)
    return [primals_1, primals_2, primals_3, primals_4, primals_5]


def benchmark_compiled_module(args, times=10, repeat=10):
    from torch._inductor.utils import print_performance
    fn = lambda: call(list(args))
    return print_performance(fn, times=times, repeat=repeat, device='cuda')


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    args = get_args()
    compiled_module_main('None', lambda times, repeat: benchmark_compiled_module(args, times=times, repeat=repeat))
