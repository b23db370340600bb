"""Which lines of the user's program a kernel was made from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from perfcore.inductor import KernelSource, read_inductor_file
from perfcore.inductor.model import UserLine
from perfcore.inductor.provenance import kernel_stacks, nodes_of_graph, read_provenance, stacks_of_kernels
from perfcore.inductor.user_lines import lines_in_frames, lines_in_traceback
from perfcore.inductor.user_model import kernels_by_function, kernels_by_line, user_model
from tests.ground_truth import CORPUS

MODEL = "/home/me/model.py"
MODEL_TEXT = """\
import torch

class Block(torch.nn.Module):
    def norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)

    def forward(self, x):
        y = self.norm(x)
        return torch.nn.functional.silu(y) * y
"""
GRAPH = """\
class <lambda>(torch.nn.Module):
    def forward(self, arg0_1: "bf16[8, 4096, 2048]"):
        view: "bf16[8]" = torch.ops.aten.view.default(arg0_1, [8])
         # File: /home/me/model.py:5 in norm, code: return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
        pow_1: "bf16[8, 4096, 2048]" = torch.ops.aten.pow.Tensor_Scalar(arg0_1, 2)
        mean: "bf16[8, 4096, 1]" = torch.ops.aten.mean.dim(pow_1, [-1], True);  pow_1 = None

         # No stacktrace found for following nodes
        rsqrt = torch.ops.aten.rsqrt.default(mean);  mean = None

         # File: /home/me/model.py:9 in forward, code: return torch.nn.functional.silu(y) * y
        mul_4: "f32[8, 4096, 8192]" = torch.ops.aten.mul.Tensor(rsqrt, rsqrt);  rsqrt = None
        return (mul_4,)
"""
NORM_LINE = UserLine(MODEL, 4, "norm", "return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)")
SILU_LINE = UserLine(MODEL, 8, "forward", "return torch.nn.functional.silu(y) * y")
CALL_LINE = UserLine(MODEL, 7, "forward", "y = self.norm(x)")
TRACEBACK = (
    '  File "/home/me/model.py", line 8, in forward\n    y = self.norm(x)\n'
    '  File "/home/me/model.py", line 5, in norm\n'
    "    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)\n"
)
RMS_NORM = "triton_red_fused_add_mean_mul_pow_rsqrt_0"
SWIGLU = "triton_poi_fused__unsafe_view_mul_silu_2"


def kernels_of(version: str = "2.13.0", model: str = "transformer_block_bf16") -> dict[str, KernelSource]:
    path = CORPUS / version / model / "output_code.py"
    return {kernel.name: kernel for kernel in read_inductor_file(str(path), path.read_text()).kernels}


@pytest.mark.parametrize("version", ["2.4.1", "2.7.1", "2.12.1", "2.13.0"])
def test_the_comment_over_a_users_own_kernel_names_its_line(version: str) -> None:
    kernel = kernels_of(version, "user_triton")["my_scale_kernel_0"]
    (line,) = kernel.user_lines
    assert (line.path, line.function, line.code) == ("/home/user/models.py", None, None)
    assert line.line in {380, 392}  # line 381, in 2.12.1 line 393
    assert kernel_stacks(kernel) == ((line,),)


def test_a_generated_kernels_comment_names_nodes_only_and_no_line_is_guessed() -> None:
    kernel = kernels_of()[RMS_NORM]
    assert set(kernel.graph_nodes) == {"pow_1", "mean", "add", "rsqrt", "mul", "mul_1"}
    assert kernel_stacks(kernel) == ()


def test_nodes_of_a_readable_graph() -> None:
    assert nodes_of_graph(GRAPH) == {"pow_1": NORM_LINE, "mean": NORM_LINE, "mul_4": SILU_LINE}
    assert nodes_of_graph("") == nodes_of_graph("x = 1\n") == {}


def test_tracebacks_by_kernel_whatever_the_call() -> None:
    stacks = (CALL_LINE, NORM_LINE)
    text = json.dumps(
        {f"{RMS_NORM}:1": [TRACEBACK], f"{RMS_NORM}:7": [TRACEBACK, "nothing"], "extern.mm:2": []}
    )
    assert stacks_of_kernels(text) == {RMS_NORM: (stacks,), "extern.mm": ()}
    text = json.dumps({f"{RMS_NORM}:1": {"stack_traces": [TRACEBACK], "post_grad_nodes": ["mul"]}})
    assert stacks_of_kernels(text) == {RMS_NORM: (stacks,)}
    for text in ("[]", "{", '{"a": 1}', "\0"):
        with pytest.raises(ValueError):
            stacks_of_kernels(text)


def test_tracebacks_with_and_without_code() -> None:
    assert lines_in_traceback(TRACEBACK) == (CALL_LINE, NORM_LINE)
    assert lines_in_traceback('File "a.py", line 1, in f\n  File "b.py", line 2, in g') == (
        UserLine("a.py", 0, "f"),
        UserLine("b.py", 1, "g"),
    )


def test_a_profilers_frames() -> None:
    frames = (
        "/home/me/model.py(8): forward",
        "<built-in function linear>",
        "C:\\me\\model.py(1): <module>",
        "x" * 9999,
    )
    assert lines_in_frames(frames) == (
        UserLine(MODEL, 7, "forward"),
        UserLine("C:\\me\\model.py", 0, "<module>"),
    )


def test_what_lies_beside_the_wrapper_tells_where_its_kernels_come_from(tmp_path: Path) -> None:
    (tmp_path / "fx_graph_readable.py").write_text(GRAPH)
    kernels = kernels_of()
    provenance = read_provenance(tmp_path)
    assert kernel_stacks(kernels[RMS_NORM], provenance) == ((NORM_LINE,),)
    assert kernel_stacks(kernels[SWIGLU], provenance) == ((SILU_LINE,),)
    (tmp_path / "inductor_provenance_tracking_kernel_stack_traces.json").write_text(
        json.dumps({f"{RMS_NORM}:1": [TRACEBACK]})
    )
    provenance = read_provenance(tmp_path)
    assert kernel_stacks(kernels[RMS_NORM], provenance) == ((CALL_LINE, NORM_LINE),)
    assert kernel_stacks(kernels[SWIGLU], provenance) == ((SILU_LINE,),)


def test_a_broken_file_beside_the_wrapper_is_said_and_costs_itself(tmp_path: Path) -> None:
    (tmp_path / "fx_graph_readable.py").write_text(GRAPH)
    (tmp_path / "kernel_information.json").write_text("{")
    provenance = read_provenance(tmp_path)
    assert [problem.code for problem in provenance.problems] == ["provenance-unreadable"]
    assert provenance.nodes["mean"] == NORM_LINE
    assert read_provenance(tmp_path / "absent").problems == ()


def copied_wrapper(folder: Path) -> tuple[KernelSource, ...]:
    path = folder / "output_code.py"
    path.write_text((CORPUS / "2.13.0/transformer_block_bf16/output_code.py").read_text())
    return read_inductor_file(str(path), path.read_text()).kernels


def test_the_users_lines_and_functions_with_the_kernels_that_they_became(tmp_path: Path) -> None:
    kernels = copied_wrapper(tmp_path)
    (tmp_path / "fx_graph_readable.py").write_text(GRAPH)
    (tmp_path / "kernel_stack_traces.json").write_text(json.dumps({f"{RMS_NORM}:1": [TRACEBACK]}))
    by_line = kernels_by_line(user_model(kernels), MODEL, MODEL_TEXT)
    assert {line: [kernel.name for kernel in found] for line, found in by_line.items()} == {
        4: [RMS_NORM],
        7: [RMS_NORM],
        8: [SWIGLU],
    }
    functions = kernels_by_function(MODEL_TEXT, by_line)
    assert [(function.name, function.line, function.last) for function in functions] == [
        ("norm", 3, 4),
        ("forward", 6, 8),
    ]
    assert [kernel.name for kernel in functions[1].kernels] == [RMS_NORM, SWIGLU]
    assert kernels_by_line(user_model(kernels), "/home/me/other.py", MODEL_TEXT) == {}


def test_a_line_that_has_changed_since_is_left_out(tmp_path: Path) -> None:
    kernels = copied_wrapper(tmp_path)
    (tmp_path / "fx_graph_readable.py").write_text(GRAPH)
    model = user_model(kernels)
    assert set(kernels_by_line(model, MODEL, MODEL_TEXT)) == {4, 8}
    assert set(kernels_by_line(model, MODEL, MODEL_TEXT.replace("1e-6", "1e-5"))) == {8}
    assert set(kernels_by_line(model, MODEL, "# a new first line\n" + MODEL_TEXT)) == set()
    assert set(kernels_by_line(model, MODEL, MODEL_TEXT.replace("\n", "\r\n"))) == {4, 8}


def test_a_program_that_ran_elsewhere_is_found_through_the_mappings(tmp_path: Path) -> None:
    kernels = copied_wrapper(tmp_path)
    (tmp_path / "fx_graph_readable.py").write_text(GRAPH)
    model = user_model(kernels, [("/home/me", "/work/me")])
    assert set(kernels_by_line(model, "/work/me/model.py", MODEL_TEXT)) == {4, 8}


def test_functions_of_a_text_that_does_not_parse() -> None:
    by_line = {4: (kernels_of()[RMS_NORM],), 8: (kernels_of()[SWIGLU],)}
    functions = kernels_by_function(MODEL_TEXT + "\n    def broken(self:\n", by_line)
    assert [(function.name, function.line) for function in functions] == [("norm", 3), ("forward", 6)]


def test_a_cache_directory_holds_no_such_files_and_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    path = next((CORPUS / "2.13.0/transformer_block_bf16/cache/4u").iterdir())
    kernels = read_inductor_file(str(path), path.read_text()).kernels
    monkeypatch.setattr("perfcore.inductor.user_model.read_provenance", pytest.fail)
    assert len(kernels) == 4
    assert user_model(kernels).made == {}
