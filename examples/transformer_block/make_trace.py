"""Writes trace.json: one forward pass of a transformer block on an MI300X, as torch.profiler would record it.

The Triton kernels are the genuine ones in cache/, with the times of the worked examples in docs/model.md; the
matrix products and the attention between them are only there to make the trace whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
PROCESS, GPU = 4242, 0
BF16 = "c10::BFloat16"


@dataclass(frozen=True)
class Launch:
    op: str
    kernel: str
    busy_us: float
    grid: int
    dims: list[list[int]]
    numels: tuple[int, ...] = ()
    kernel_hash: str = ""
    kernel_kwargs: str = ""
    num_warps: int = 4


def triton(
    name: str, busy_us: float, tensors: list[list[int]], numels: tuple[int, ...], grid: int, kwargs: str
) -> Launch:
    source = next(
        p for p in sorted((HERE / "cache").glob("*/*.py")) if f"'kernel_name': '{name}'" in p.read_text()
    )
    return Launch(name, name, busy_us, grid, tensors, numels, source.stem, kwargs)


def product(busy_us: float, rows: int, inner: int, columns: int) -> Launch:
    dims = [[rows, inner], [inner, columns], [rows, columns]]
    return Launch("aten::mm", "Cijk_Alik_Bljk_BBS_BH_MT256x192x64", busy_us, rows * columns // 192, dims)


TOKENS, DIM, HIDDEN = 8 * 4096, 2048, 8192
X, FLAT = [8, 4096, DIM], [TOKENS, DIM]
LAUNCHES = [
    triton(
        "triton_red_fused_add_mean_mul_pow_rsqrt_0",
        79.4,
        [X, [DIM], X],
        (TOKENS, DIM),
        16384,
        "XBLOCK=2,R0_BLOCK=2048",
    ),
    *(product(560.0, TOKENS, DIM, DIM) for _ in range(3)),
    Launch("aten::_scaled_dot_product_flash_attention", "attn_fwd", 3683.5, 8192, [[8, 16, 4096, 128]] * 3),
    product(527.3, TOKENS, DIM, DIM),
    triton(
        "triton_red_fused__unsafe_view_add_mean_mul_pow_rsqrt_1",
        93.2,
        [X, FLAT, [DIM], X],
        (TOKENS, DIM),
        16384,
        "XBLOCK=2,R0_BLOCK=2048",
    ),
    *(product(1870.0, TOKENS, DIM, HIDDEN) for _ in range(2)),
    triton(
        "triton_poi_fused__unsafe_view_mul_silu_2",
        505.3,
        [[8, 4096, HIDDEN], [TOKENS, HIDDEN]],
        (TOKENS * HIDDEN,),
        262144,
        "XBLOCK=1024",
    ),
    product(2033.7, TOKENS, HIDDEN, DIM),
    triton("triton_poi_fused__unsafe_view_add_3", 140.9, [X, X, FLAT], (TOKENS * DIM,), 131072, "XBLOCK=512"),
]

HEAD = """\
{
  "schemaVersion": 1,
  "deviceProperties": [
    {
      "id": 0, "name": "AMD Instinct MI300X", "totalGlobalMem": 206141652992,
      "computeMajor": 9, "computeMinor": 4, "maxThreadsPerBlock": 1024, "warpSize": 64, "numSms": 304
    }
  ],
  "record_shapes": 1,
  "displayTimeUnit": "ms",
  "baseTimeNanoseconds": 1775078550000000000,
  "traceEvents": [
"""
TAIL = """
  ],
  "traceName": "trace.json"
}
"""


def event(
    ph: str, cat: str, name: str, pid: int, tid: int, ts: float, dur: float, args: dict[str, object]
) -> str:
    fields = ", ".join(f'"{key}": {text(value)}' for key, value in args.items())
    return f"""\
  {{
    "ph": "{ph}", "cat": "{cat}", "name": "{name}", "pid": {pid}, "tid": {tid},
    "ts": {ts:.3f}, "dur": {dur:.3f},
    "args": {{
      {fields}
    }}
  }}"""


def flow(ph: str, correlation: int, pid: int, tid: int, ts: float) -> str:
    end = ', "bp": "e"' if ph == "f" else ""
    return f"""\
  {{
    "ph": "{ph}", "id": {correlation}, "pid": {pid}, "tid": {tid}, "ts": {ts:.3f},
    "cat": "ac2g", "name": "ac2g"{end}
  }}"""


def text(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(text(item) for item in value) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def op_args(launch: Launch, index: int) -> dict[str, object]:
    strides = [[prod_after(dims, i) for i in range(len(dims))] for dims in launch.dims]
    args: dict[str, object] = {
        "External id": index + 1,
        "Record function id": 0,
        "Ev Idx": index,
        "Input Dims": launch.dims + [[] for _ in launch.numels],
        "Input Strides": strides + [[] for _ in launch.numels],
        "Input type": [BF16] * len(launch.dims) + ["Scalar"] * len(launch.numels),
        "Concrete Inputs": [""] * len(launch.dims) + [str(numel) for numel in launch.numels],
    }
    if launch.kernel_hash:
        args |= {
            "num_warps": launch.num_warps,
            "stream": 0,
            "kernel_backend": "triton",
            "kernel_name": launch.kernel,
            "kernel_kwargs": launch.kernel_kwargs,
            "num_stages": 1,
            "kernel_file": f"/tmp/torchinductor_root/{launch.kernel_hash[1:3]}/{launch.kernel_hash}.py",
            "kernel_hash": launch.kernel_hash,
        }
    return args


def prod_after(dims: list[int], position: int) -> int:
    product_ = 1
    for size in dims[position + 1 :]:
        product_ *= size
    return product_


def main() -> None:
    """Ops come first and kernels last, as Kineto writes them."""
    ops, calls, kernels = [], [], []
    cpu_us = gpu_us = 3603029046000.0
    for index, launch in enumerate(LAUNCHES):
        correlation = index + 100
        cpu_us += 40.0
        gpu_us = max(gpu_us + 1.0, cpu_us + 20.0)
        ops.append(event("X", "cpu_op", launch.op, PROCESS, PROCESS, cpu_us, 30.0, op_args(launch, index)))
        call = {"External id": index + 1, "cid": 169, "correlation": correlation, "grid": [launch.grid, 1, 1]}
        calls.append(
            event("X", "cuda_runtime", "hipModuleLaunchKernel", PROCESS, PROCESS, cpu_us + 15, 6.5, call)
        )
        calls.append(flow("s", correlation, PROCESS, PROCESS, cpu_us + 15))
        args: dict[str, object] = {
            "External id": index + 1,
            "device": GPU,
            "stream": 0,
            "correlation": correlation,
            "kind": "Dispatch Kernel",
            "grid": [launch.grid, 1, 1],
            "block": [256, 1, 1],
        }
        kernels.append(event("X", "kernel", launch.kernel, GPU, 0, gpu_us, launch.busy_us, args))
        kernels.append(flow("f", correlation, GPU, 0, gpu_us))
        gpu_us += launch.busy_us
    (HERE / "trace.json").write_text(HEAD + ",\n".join(ops + calls + kernels) + TAIL)


if __name__ == "__main__":
    main()
