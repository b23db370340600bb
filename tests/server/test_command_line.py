"""The command line: what goes to stdout, what to stderr, and the exit status."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from inductor_lens.cli import main

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "transformer_block"
TRACE, CACHE = str(EXAMPLE / "trace.json"), str(EXAMPLE / "cache")
INPUTS = ROOT / "tests" / "inputs"

SEED = {
    # name: (bytes, MB, GFLOPS, FLOP/byte, µs, TB/s, TFLOPS/s), the table in docs/model.md of the seed
    "triton_poi_fused__unsafe_view_mul_silu_2": (
        1_610_612_736,
        "1,536",
        "1.342",
        "0.833",
        "505.3",
        "3.19",
        "2.66",
    ),
    "triton_red_fused_add_mean_mul_pow_rsqrt_0": (
        268_439_552,
        "256.004",
        "0.470",
        "1.750",
        "79.4",
        "3.38",
        "5.92",
    ),
    "triton_red_fused__unsafe_view_add_mean_mul_pow_rsqrt_1": (
        *(402_657_280, "384.004", "0.470", "1.167", "93.2", "4.32", "5.04"),
    ),
    "triton_poi_fused__unsafe_view_add_3": (536_870_912, "512", "0.067", "0.125", "140.9", "3.81", "0.48"),
}


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(arguments)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def report_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    _, out, _ = run(capsys, "report", *arguments, "--format", "json")
    result: dict[str, object] = json.loads(out)
    return result


class TestReport:
    def test_the_table_has_every_digit_of_the_seed(self, capsys: pytest.CaptureFixture[str]) -> None:
        status, out, err = run(capsys, "report", TRACE)
        assert (status, err) == (0, "")
        rows = {line.split()[0]: line.split() for line in out.splitlines() if line.startswith("triton_")}
        assert rows.keys() == SEED.keys()
        for name, (count, mb, gflops, intensity, us, tb_s, tflops) in SEED.items():
            _, launches, median, total, rate, _, moved, in_bytes, flop, tflop, flop_per_byte, *_ = rows[name]
            assert (launches, median, total) == ("1", us, us)
            assert in_bytes == f"{count:,}"
            assert (rate, moved, flop, tflop, flop_per_byte) == (tb_s, mb, gflops, tflops, intensity)

    def test_json_has_the_contract(self, capsys: pytest.CaptureFixture[str]) -> None:
        report = report_of(capsys, TRACE, "--launches", "--inductor-cache-dir", CACHE)
        assert report["schema"] == "inductor-lens/report/1"
        assert report["trace"] == {
            "path": TRACE,
            "events": 60,
            "gpu_kernels": 12,
            "triton_launches": 4,
            "modelled_launches": 4,
            "record_shapes": True,
            "complete": True,
        }
        assert report["device"] == {
            "name": "AMD Instinct MI300X",
            "peak_bandwidth_tb_s": 5.3,
            "peak_tflops_s": 163.4,
            "peak_source": "table",
        }
        assert {kernel["name"]: kernel["bytes"] for kernel in report["kernels"]} == {  # type: ignore[attr-defined]
            name: figures[0] for name, figures in SEED.items()
        }
        (swiglu,) = [k for k in report["kernels"] if k["name"].endswith("silu_2")]  # type: ignore[attr-defined]
        assert swiglu["ops"] == ["aten._unsafe_view", "aten.mul", "aten.silu"]
        assert (swiglu["gflops"], swiglu["data_moved_mb"], swiglu["unknown_ops"]) == (1.34217728, 1536.0, [])
        assert swiglu["kernel_time_us"] == dict.fromkeys(("total", "mean", "median", "min", "max"), 505.3)
        assert swiglu["definition"]["path"].endswith(".py")
        assert [launch["event_index"] for launch in report["launch_list"]] == [0, 6, 9, 11]  # type: ignore[attr-defined]

    def test_csv_is_for_machines(self, capsys: pytest.CaptureFixture[str]) -> None:
        _, out, _ = run(capsys, "report", TRACE, "--format", "csv")
        rows = list(csv.DictReader(io.StringIO(out)))
        assert {row["name"]: int(row["bytes"]) for row in rows} == {
            name: figures[0] for name, figures in SEED.items()
        }
        _, out, _ = run(capsys, "report", TRACE, "--format", "csv", "--launches")
        assert [row["busy_us"] for row in csv.DictReader(io.StringIO(out))] == [
            "79.4",
            "93.2",
            "505.3",
            "140.9",
        ]

    def test_markdown_shows_names_as_code(self, capsys: pytest.CaptureFixture[str]) -> None:
        _, out, _ = run(capsys, "report", TRACE, "--format", "markdown")
        assert "| `triton_poi_fused__unsafe_view_mul_silu_2` | 1 | 505\\.3 |".replace(
            "\\", ""
        ) in out.replace("\\", "")

    def test_sorting(self, capsys: pytest.CaptureFixture[str]) -> None:
        def last_letters(key: str) -> list[str]:
            return [k["name"][-1] for k in report_of(capsys, TRACE, "--sort", key)["kernels"]]  # type: ignore[attr-defined]

        assert last_letters("time") == ["2", "3", "1", "0"]
        assert last_letters("bandwidth") == ["2", "0", "3", "1"]
        assert last_letters("recoverable") == ["2", "3", "0", "1"]
        assert last_letters("name") == ["3", "2", "1", "0"]

    def test_the_device_and_its_peak_may_be_given(self, capsys: pytest.CaptureFixture[str]) -> None:
        device = report_of(capsys, TRACE, "--device", "NVIDIA H200", "--peak-bandwidth", "4.2")["device"]
        assert device == {
            "name": "NVIDIA H200",
            "peak_bandwidth_tb_s": 4.2,
            "peak_tflops_s": 67.0,
            "peak_source": "user",
        }

    def test_several_traces_give_the_spread_and_name_the_slowest(
        self, capsys: pytest.CaptureFixture[str], tmp_path: Path
    ) -> None:
        slow = tmp_path / "rank1.json"
        slow.write_text(Path(TRACE).read_text().replace('"dur": 505.300', '"dur": 606.000'))
        report = report_of(capsys, TRACE, str(slow))
        (swiglu,) = [k for k in report["kernels"] if k["name"].endswith("silu_2")]  # type: ignore[attr-defined]
        assert [rank["median_us"] for rank in swiglu["ranks"]] == [505.3, 606.0]
        assert swiglu["slowest"] == str(slow)
        _, out, _ = run(capsys, "report", TRACE, str(slow))
        assert "505.3–606" in out

    def test_a_replay_takes_its_shapes_from_the_capture(
        self, capsys: pytest.CaptureFixture[str], shared: Path
    ) -> None:
        replay, capture = (
            str(shared / f"traces/vllm_decode.{part}.json.gz") for part in ("replay", "capture")
        )
        status, out, _ = run(capsys, "report", replay, "--capture", capture)
        assert status == 0
        assert "48 Triton launches" in out
        assert "1 launch without bytes:" in out
        assert "The launch passes no numels" in out
        report = report_of(capsys, replay, "--capture", capture)
        assert report["trace"]["modelled_launches"] == 47  # type: ignore[index]

    def test_the_reason_for_missing_bytes_is_about_bytes(
        self, capsys: pytest.CaptureFixture[str], shared: Path, tmp_path: Path
    ) -> None:
        """Half of these kernels also fuse an operator without a FLOP weight, which is another matter."""
        replay = tmp_path / "replay.json.gz"  # by itself: its capture lies beside the original
        replay.write_bytes((shared / "traces/vllm_decode.replay.json.gz").read_bytes())
        status, out, _ = run(capsys, "report", str(replay))
        assert status == 0  # times are figures
        assert "48 launches without bytes:\n  48 · A graph replayed this kernel" in out

    def test_every_replayed_kernel_of_flux_has_its_shapes(
        self, capsys: pytest.CaptureFixture[str], shared: Path
    ) -> None:
        replay, capture = (
            str(shared / f"traces/flux_aiter.{part}.json.gz") for part in ("replay", "capture")
        )
        trace = report_of(capsys, replay, "--capture", capture)["trace"]
        assert trace["triton_launches"] == trace["modelled_launches"] == 3796  # type: ignore[index]

    def test_a_capture_that_is_certainly_the_replay_s_is_found_without_being_named(
        self, capsys: pytest.CaptureFixture[str], shared: Path, tmp_path: Path
    ) -> None:
        """Among the traces given, and beside the replay, as the editor finds it too."""
        parts = [tmp_path / f"{name}.json.gz" for name in ("a", "b")]
        for path, part in zip(parts, ("replay", "capture"), strict=True):
            path.write_bytes((shared / f"traces/vllm_decode.{part}.json.gz").read_bytes())
        assert report_of(capsys, str(parts[0]))["trace"]["modelled_launches"] == 0  # type: ignore[index]
        both = report_of(capsys, *map(str, parts))
        replayed = [k for k in both["kernels"] if any(r["path"] == str(parts[0]) for r in k["ranks"])]  # type: ignore[attr-defined]
        assert sum(kernel["bytes"] is not None for kernel in replayed) == 2
        parts[1].rename(tmp_path / "my_capture.json.gz")
        assert report_of(capsys, str(parts[0]))["trace"]["modelled_launches"] == 47  # type: ignore[index]

    def test_a_capture_that_is_not_there_is_said(self, capsys: pytest.CaptureFixture[str]) -> None:
        _, _, err = run(capsys, "report", TRACE, "--capture", "nowhere.json")
        assert err == "error: Cannot read nowhere.json: No such file or directory. [trace-unreadable]\n"

    def test_a_folder_stands_for_its_traces(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        for rank in range(2):
            (tmp_path / f"rank{rank}.json").write_text(Path(TRACE).read_text())
        (tmp_path / "settings.json").write_text("{}")
        assert report_of(capsys, str(tmp_path))["trace"]["path"] == [  # type: ignore[index]
            str(tmp_path / f"rank{rank}.json") for rank in range(2)
        ]

    @pytest.mark.parametrize("width", [60, 80, 120, 200])
    def test_a_terminal_s_width_is_kept_and_no_name_loses_its_end(
        self, width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setenv("NO_COLOR", "1")
        for command in (["report", TRACE], ["kernels", str(EXAMPLE / "output_code.py")]):
            status, out, _ = run(capsys, *command)
            lines = re.sub(r"\x1b\[[0-9;]*m", "", out).splitlines()
            title = lines.index("")
            assert status == 0
            assert max(map(len, lines[title:])) <= width
            rule = next(line for line in lines if line.startswith("─"))
            names = [line[: rule.index(" ")].rstrip() for line in lines[lines.index(rule) + 1 :]]
            whole = "".join(
                name.removeprefix("  ") if name.startswith("  ") else f"\n{name}" for name in names
            )
            assert SEED.keys() <= set(whole.split("\n"))


class TestExitStatus:
    def test_a_file_that_is_not_there(self, capsys: pytest.CaptureFixture[str]) -> None:
        status, out, err = run(capsys, "report", "nowhere.json")
        assert (status, out) == (1, "")
        assert "nowhere.json" in err

    def test_a_file_that_is_no_trace(self, capsys: pytest.CaptureFixture[str]) -> None:
        status, out, _ = run(capsys, "report", str(ROOT / "README.md"))
        assert (status, out) == (1, "")

    @pytest.mark.parametrize(
        "arguments",
        [
            ["report"],
            ["report", TRACE, "--format", "xml"],
            ["report", TRACE, "--peak-bandwidth", "-1"],
            ["report", TRACE, "--peak-bandwidth", "fast"],
            ["check", TRACE, "--min-peak-percent", "half"],
            ["check", TRACE, "--min-peak-percent", "-3"],
            ["check", TRACE, "--max-slowdown", "nan"],
            ["serve", "--tcp", "99999"],
            ["serve", "--tcp", "ssh"],
            ["frobnicate"],
            [],
        ],
    )
    def test_wrong_usage(self, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        assert stopped.value.code == 2
        assert capsys.readouterr().out == ""

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["serve", "--log-file", "/nowhere/log"], "cannot write the log to /nowhere/log: No such file"),
            (["doctor", "/nowhere"], "/nowhere is no folder"),
        ],
    )
    def test_what_cannot_be_is_said_in_one_line(
        self, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        status, out, err = run(capsys, *arguments)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert err.startswith(f"error: {said}")

    @pytest.mark.parametrize("what", ["nowhere.json", "README.md", "tests"])
    def test_a_path_is_said_once(self, what: str, capsys: pytest.CaptureFixture[str]) -> None:
        _, _, err = run(capsys, "report", str(ROOT / what))
        (line,) = err.splitlines()
        assert line.startswith("error: ")
        assert line.count(str(ROOT / what)) == 1

    def test_as_a_program(self) -> None:
        command = [sys.executable, "-m", "inductor_lens", "report", TRACE, "--format", "json"]
        env = {"PYTHONPATH": f"{ROOT / 'server'}:{ROOT}", "PATH": ""}
        result = subprocess.run(command, capture_output=True, check=True, env=env)
        assert result.stderr == b""
        assert json.loads(result.stdout)["trace"]["triton_launches"] == 4


class TestKernels:
    def test_a_cache_directory(self, capsys: pytest.CaptureFixture[str]) -> None:
        status, out, err = run(capsys, "kernels", CACHE, "--format", "json")
        assert (status, err) == (0, "")
        kernels = {kernel["name"]: kernel for kernel in json.loads(out)["kernels"]}
        assert kernels.keys() == SEED.keys()
        swiglu = kernels["triton_poi_fused__unsafe_view_mul_silu_2"]
        assert (swiglu["bytes"], swiglu["gflops"], swiglu["category"]) == (1_610_612_736, 1.34217728, "poi")
        assert swiglu["numels"] == {"x": 268435456}
        line = Path(swiglu["path"]).read_text().splitlines()[swiglu["line"] - 1]
        assert line.startswith("def triton_poi_fused__unsafe_view_mul_silu_2(")

    def test_a_wrapper(self, capsys: pytest.CaptureFixture[str]) -> None:
        status, out, _ = run(capsys, "kernels", str(EXAMPLE / "output_code.py"), "--format", "csv")
        assert status == 0
        assert {row["name"] for row in csv.DictReader(io.StringIO(out))} == SEED.keys()

    def test_what_is_not_inductors(self, capsys: pytest.CaptureFixture[str]) -> None:
        status, out, err = run(capsys, "kernels", __file__)
        assert (status, out) == (1, "")
        assert "test_command_line.py" in err


class TestCheck:
    def test_clean(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(capsys, "check", TRACE) == (0, "4 kernels, 0 flagged: clean\n", "")

    def test_flagged(self, capsys: pytest.CaptureFixture[str]) -> None:
        status, out, _ = run(
            capsys, "check", TRACE, "--min-peak-percent", "61", "--inductor-cache-dir", CACHE
        )
        assert status == 1
        first, last = out.splitlines()
        assert ".py:18: triton_poi_fused__unsafe_view_mul_silu_2 moves 3.19 TB/s, 60 % of its peak" in first
        assert "201.4 of 505.3 µs are recoverable over 1 launch. [low-bandwidth]" in first
        assert last == "4 kernels, 1 flagged"

    def test_a_kernel_with_little_time_is_not_flagged(self, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = ["check", TRACE, "--min-peak-percent", "65", "--min-time-share", "20"]
        assert run(capsys, *arguments)[1].splitlines()[-1] == "4 kernels, 1 flagged"

    def test_slower_than_the_baseline(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        old = tmp_path / "old.json"
        old.write_text(Path(TRACE).read_text().replace('"dur": 505.300', '"dur": 450.000'))
        status, out, _ = run(capsys, "check", TRACE, "--baseline", str(old))
        assert status == 1
        assert "triton_poi_fused__unsafe_view_mul_silu_2 takes 12 % longer than in the baseline." in out
        assert run(capsys, "check", TRACE, "--baseline", str(old), "--max-slowdown", "20")[0] == 0

    def test_sarif(self, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = [
            "check",
            TRACE,
            "--min-peak-percent",
            "61",
            "--format",
            "sarif",
            "--inductor-cache-dir",
            CACHE,
        ]
        status, out, _ = run(capsys, *arguments)
        assert status == 1
        log = json.loads(out)
        assert log["version"] == "2.1.0"
        (result,) = log["runs"][0]["results"]
        assert (result["ruleId"], result["level"]) == ("low-bandwidth", "warning")
        assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 18}

    def test_github_annotations_escape_percents(self, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = [
            "check",
            TRACE,
            "--min-peak-percent",
            "61",
            "--format",
            "github",
            "--inductor-cache-dir",
            CACHE,
        ]
        _, out, _ = run(capsys, *arguments)
        assert out.startswith("::warning file=")
        assert (
            "title=low-bandwidth::triton_poi_fused__unsafe_view_mul_silu_2 moves 3.19 TB/s, 60 %25 of" in out
        )

    def test_a_baseline_without_figures_is_no_success(self, capsys: pytest.CaptureFixture[str]) -> None:
        status, out, err = run(capsys, "check", TRACE, "--baseline", "nowhere.json")
        assert (status, out) == (1, "")
        assert "nothing was compared" in err

    def test_a_device_without_a_peak_is_no_success(
        self, capsys: pytest.CaptureFixture[str], tmp_path: Path
    ) -> None:
        unknown = tmp_path / "unknown.json"
        unknown.write_text(Path(TRACE).read_text().replace("AMD Instinct MI300X", "Some GPU"))
        status, out, err = run(capsys, "check", str(unknown))
        assert (status, out) == (1, "")
        assert "give --device or --peak-bandwidth" in err
        assert run(capsys, "check", str(unknown), "--peak-bandwidth", "5.3")[0] == 0

    def test_places_are_relative_to_where_one_is(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A review's annotations are placed by paths within the repository."""
        monkeypatch.chdir(EXAMPLE)
        arguments = ["check", "trace.json", "--min-peak-percent", "61", "--inductor-cache-dir", "cache"]
        for format_, begin in (("text", "cache/"), ("github", "::warning file=cache/")):
            assert run(capsys, *arguments, "--format", format_)[1].startswith(begin)

    def test_nothing_to_check_is_no_success(self, capsys: pytest.CaptureFixture[str]) -> None:
        status, _, err = run(capsys, "check", str(ROOT / "README.md"))
        assert status == 1
        assert "nothing was checked" in err


class TestDoctor:
    def test_the_example_has_everything(self, capsys: pytest.CaptureFixture[str]) -> None:
        status, out, _ = run(capsys, "doctor", str(EXAMPLE), "--inductor-cache-dir", CACHE)
        assert status == 0
        assert "1 trace\n" in out
        assert f"{CACHE}: 4 kernels" in out
        assert (
            "4 Triton launches on AMD Instinct MI300X; bytes for all 4 launches, source for all 4 launches"
            in out
        )
        assert "Nothing is missing." in out

    def test_an_empty_folder_is_told_what_to_record(
        self, capsys: pytest.CaptureFixture[str], tmp_path: Path
    ) -> None:
        status, out, _ = run(capsys, "doctor", str(tmp_path))
        assert status == 1
        assert "torch.profiler.profile(record_shapes=True)" in out
