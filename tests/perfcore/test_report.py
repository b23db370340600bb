"""Launches grouped into rows, with peaks, recoverable time and findings."""

from __future__ import annotations

from msgspec.structs import replace

from perfcore.baseline import changes_percent
from perfcore.findings import Thresholds, find
from perfcore.problem import Note
from perfcore.report import Report, ReportOptions, build_report
from perfcore.trace.model import DeviceProperties, Launch, LaunchArgs, Place, Trace

ADD = LaunchArgs(
    input_dims=((1048576,), (1048576,), (1048576,), ()),
    input_types=("float", "float", "float", "Scalar"),
    concrete_inputs=("", "", "", "1048576"),
    kernel_kwargs="XBLOCK=1024",
)
BIG = LaunchArgs(
    input_dims=((268435456,), (268435456,), ()),
    input_types=("c10::BFloat16", "c10::BFloat16", "Scalar"),
    concrete_inputs=("", "", "268435456"),
)


def launch(
    busy_us: float | None, args: LaunchArgs | None = ADD, name: str = "triton_poi_fused_add_0", index: int = 0
) -> Launch:
    return Launch(
        name, Place(index, 0, 0), index * 1000, None if busy_us is None else round(busy_us * 1000), args
    )


def trace(*launches: Launch, device: str = "NVIDIA A100-SXM4-80GB", path: str = "trace.json") -> Trace:
    return Trace(path, 10, len(launches), launches, True, True, (DeviceProperties(0, device),))


def report(
    *launches: Launch, device: str = "NVIDIA A100-SXM4-80GB", options: ReportOptions | None = None
) -> Report:
    return build_report([trace(*launches, device=device)], None, options)


def test_the_good_launch() -> None:
    (row,) = report(launch(9.25)).rows
    # 3 × 4 MiB and the extra write: 16,777,216 bytes in 9.25 µs
    assert row.metadata.bytes_moved == 16_777_216
    assert row.tb_s is not None
    assert round(row.tb_s, 4) == 1.8138
    assert row.metadata.flops == 1_048_576
    # 1.8138 of 2.039 TB/s
    assert row.peak_percent is not None
    assert round(row.peak_percent, 1) == 89.0
    # 9.25 × (1 − 0.8896) = 1.022
    assert row.recoverable_us is not None
    assert round(row.recoverable_us, 3) == 1.022


def test_rates_are_medians_and_times_are_exact() -> None:
    (row,) = report(launch(10.0), launch(77.074, index=1), launch(30.0, index=2)).rows
    time = row.kernel_time_us
    assert time is not None
    assert (time.total, time.median, time.min, time.max) == (117.074, 30.0, 10.0, 77.074)
    assert row.tb_s == 16_777_216 / 30_000 / 1e3


def test_a_launch_without_a_time_is_counted_but_not_rated() -> None:
    (row,) = report(launch(None), launch(10.0, index=1)).rows
    assert len(row.launches) == 2
    assert row.kernel_time_us is not None
    assert row.kernel_time_us.median == 10.0


def test_a_launch_recorded_at_capture_did_not_run() -> None:
    captured = replace(launch(None), notes=(Note("captured", "Recorded while a graph was captured."),))
    (row,) = report(captured, launch(9.25, index=1), launch(9.25, index=2)).rows
    assert (len(row.launches), row.executions) == (3, 2)


def test_different_arguments_and_configs_are_different_rows() -> None:
    other_shape = LaunchArgs(((4,), ()), None, ("float", "Scalar"), ("", "4"))
    other_config = LaunchArgs(
        ADD.input_dims, None, ADD.input_types, ADD.concrete_inputs, kernel_kwargs="XBLOCK=512"
    )
    rows = report(launch(9), launch(9, other_shape), launch(9, other_config), launch(9, None)).rows
    assert len(rows) == 4
    assert len({row.id for row in rows}) == 4


def test_the_same_row_has_the_same_id_in_another_trace() -> None:
    (one,), (other,) = report(launch(9)).rows, report(launch(5), device="NVIDIA H200").rows
    assert one.id == other.id


def test_the_same_name_from_different_files_has_different_ids() -> None:
    one, other = (replace(ADD, kernel_file=f"/tmp/x/{letter}.py") for letter in "ab")
    rows = report(launch(9, other), launch(9, one)).rows
    ids = {row.args.kernel_file: row.id for row in rows if row.args}
    assert ids == {"/tmp/x/a.py": rows[0].id[:12], "/tmp/x/b.py": f"{rows[0].id[:12]}-2"}


def test_an_unknown_device_gives_no_percent() -> None:
    (row,) = report(launch(9), device="").rows
    assert (row.peak_percent, row.recoverable_us) == (None, None)
    assert row.tb_s is not None


def test_the_user_knows_the_device_better() -> None:
    options = ReportOptions(device="NVIDIA H200", peak_bandwidth_tb_s=4.0)
    result = report(launch(9), device="", options=options)
    assert result.device.peak_source == "user"
    assert result.device.device is not None
    assert result.device.device.peak_bandwidth_tb_s == 4.0
    assert report(launch(9)).device.peak_source == "table"
    assert report(launch(9), device="").device.peak_source is None


def test_a_figure_above_the_peak_is_explained() -> None:
    (row,) = report(launch(2.0)).rows
    (note,) = [note for note in row.notes if note.code == "above-peak"]
    assert "40 MiB cache" in note.text
    (row,) = report(launch(200.0, BIG)).rows
    (note,) = [note for note in row.notes if note.code == "above-peak"]
    assert "shapes over-count" in note.text


def test_several_traces_give_one_row_with_its_spread() -> None:
    traces = [trace(launch(10.0), path="rank0.json"), trace(launch(14.0), path="rank1.json")]
    (row,) = build_report(traces).rows
    assert [(rank.path, rank.launches, rank.median_us) for rank in row.ranks] == [
        ("rank0.json", 1, 10.0),
        ("rank1.json", 1, 14.0),
    ]


class TestSorting:
    launches = (
        launch(9.25),
        launch(5000.0, BIG, "triton_poi_fused_relu_1"),
        launch(4.0, None, "triton_poi_fused_0"),
    )

    def names(self, key: str) -> list[str]:
        return [row.name[-1] for row in report(*self.launches, options=ReportOptions(sort=key)).rows]  # type: ignore[arg-type]

    def test_by_time(self) -> None:
        assert self.names("time") == ["1", "0", "0"]

    def test_by_recoverable_time_with_the_unknown_last(self) -> None:
        assert self.names("recoverable")[0] == "1"

    def test_by_bandwidth_with_the_unknown_last(self) -> None:
        assert [
            row.tb_s is None for row in report(*self.launches, options=ReportOptions(sort="bandwidth")).rows
        ] == [*[False, False, True]]


class TestFindings:
    def test_low_bandwidth_says_what_is_recoverable(self) -> None:
        # 1,610,612,736 bytes in 5,000 µs = 0.32 of 2.039 TB/s
        result = report(launch(5000.0, BIG, "triton_poi_fused_relu_1"))
        (finding,) = find(result, Thresholds())
        assert finding.code == "low-bandwidth"
        assert finding.message == (
            "triton_poi_fused_relu_1 moves 0.32 TB/s, 16 % of its peak of 2.04 TB/s: "
            "4,210.1 of 5,000.0 µs are recoverable over 1 launch."
        )

    def test_many_launches_are_one_finding(self) -> None:
        launches = [launch(5000.0, BIG, "triton_poi_fused_relu_1", i) for i in range(50)]
        assert len(find(report(*launches), Thresholds())) == 1

    def test_short_and_rare_kernels_are_not_flagged(self) -> None:
        big = launch(5000.0, BIG, "triton_poi_fused_relu_1")
        assert (
            len(
                find(
                    report(big, launch(9.9, LaunchArgs(((64,), ()), None, ("float", "Scalar"), ("", "64")))),
                    Thresholds(),
                )
            )
            == 1
        )
        slow_but_rare = launch(40.0, LaunchArgs(((64,), ()), None, ("float", "Scalar"), ("", "64")))
        assert len(find(report(big, slow_but_rare), Thresholds())) == 1

    def test_the_threshold_is_the_users(self) -> None:
        assert find(report(launch(5000.0, BIG)), Thresholds(peak_percent=10)) == ()

    def test_missing_shapes_say_how_to_record_them(self) -> None:
        (finding,) = find(report(launch(50.0, LaunchArgs())), Thresholds())
        assert finding.code == "missing-shapes"
        assert "record_shapes=True" in finding.message

    def test_generic_names(self) -> None:
        codes = {finding.code for finding in find(report(launch(9.25, ADD, "triton_0")), Thresholds())}
        assert "generic-names" in codes


class TestWhatARecordingLacks:
    def test_shapes_are_missed_once_for_the_whole_trace(self) -> None:
        result = report(launch(9.0, LaunchArgs()), launch(9.0, LaunchArgs(), index=1), launch(9.0))
        (problem,) = result.problems
        assert problem.code == "missing-shapes"
        assert problem.message.startswith("The trace lacks the shapes of 2 of 3 Triton launches")
        assert "record_shapes=True" in problem.message

    def test_generic_names_say_how_to_get_better_ones(self) -> None:
        (problem,) = report(launch(9.25, ADD, "triton_0")).problems
        assert problem.code == "generic-names"
        assert "TORCHINDUCTOR_UNIQUE_KERNEL_NAMES=1" in problem.message

    def test_different_devices_in_one_report_are_said(self) -> None:
        result = build_report([trace(launch(9)), trace(launch(9), device="NVIDIA H200")])
        assert [problem.code for problem in result.problems] == ["mixed-devices"]


class TestBaseline:
    def test_a_faster_kernel_gains(self) -> None:
        before, now = report(launch(11.2)), report(launch(10.0))
        assert {round(change) for change in changes_percent(now, before).values()} == {12}

    def test_another_config_is_the_same_work(self) -> None:
        tuned = LaunchArgs(
            ADD.input_dims, None, ADD.input_types, ADD.concrete_inputs, kernel_kwargs="XBLOCK=512"
        )
        assert len(changes_percent(report(launch(10.0, tuned)), report(launch(20.0)))) == 1

    def test_other_shapes_are_not_compared(self) -> None:
        assert changes_percent(report(launch(10.0)), report(launch(20.0, BIG))) == {}

    def test_a_slower_kernel_is_found(self) -> None:
        before, now = report(launch(5000.0, BIG)), report(launch(6000.0, BIG))
        codes = [finding.code for finding in find(now, Thresholds(), changes_percent(now, before))]
        assert "slower-than-baseline" in codes
        faster = find(before, Thresholds(), changes_percent(before, now))
        assert "slower-than-baseline" not in [finding.code for finding in faster]
