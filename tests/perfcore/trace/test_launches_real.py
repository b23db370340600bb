"""Linking on recordings by other people, against another tool's figures for them.

The tool adds floats of 10¹² µs, whose last bit is worth 0.0005 µs, so its times agree with ours to two such bits.
It gives 0 where a launch was only captured for a graph and no kernel of it ran; ours have no time then.
"""

from __future__ import annotations

import csv
import math
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from msgspec.structs import replace

from perfcore.trace import read_trace
from perfcore.trace.capture import capture_summary
from perfcore.trace.find_capture import find_capture
from perfcore.trace.launches import link
from perfcore.trace.model import Launch, Place, Trace
from tests.perfcore.trace.plain_reader import read_file

NAMES = ("transformer_block.mi300x", "eager.b200", "sd35.mi300x", "vllm_decode.capture", "flux_aiter.capture")


@cache
def trace(shared: Path, name: str, *captures: str) -> Trace:
    given = [trace(shared, capture) for capture in captures]
    return read_trace(shared / "traces" / f"{name}.json.gz", captures=given)


def launches(shared: Path, name: str, *captures: str) -> tuple[Launch, ...]:
    return trace(shared, name, *captures).launches


def test_the_transformer_block_keeps_every_digit(shared: Path) -> None:
    found = launches(shared, "transformer_block.mi300x")
    assert [(launch.place.event_index, launch.name, launch.busy_ns) for launch in found] == [
        (5, "triton_red_fused_add_mean_mul_pow_rsqrt_0", 77_074),
        (36, "triton_red_fused__unsafe_view_add_mean_mul_pow_rsqrt_1", 90_653),
        (39, "triton_poi_fused__unsafe_view_mul_silu_2", 527_382),
        (41, "triton_poi_fused__unsafe_view_add_3", 140_848),
    ]


def test_pytorch_2_4_on_an_a100(shared: Path) -> None:
    found = launches(shared, "one_kernel.a100")
    assert [(launch.name, launch.busy_ns, launch.notes) for launch in found] == [
        ("triton_poi_fused_add_cos_sin_0", 1_760, ())
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_busy_time_of_the_peer(shared: Path, name: str) -> None:
    ours = {launch.place.event_index: launch for launch in launches(shared, name)}
    differences: Counter[str] = Counter()
    with (shared / "peer" / f"{name}.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            launch = ours[int(row["event_index"])]
            assert launch.name == row["name"]
            theirs = float(row["busy_us"])
            if launch.busy_ns is None:
                assert theirs == 0
                differences[launch.notes[0].code] += 1
            else:
                assert abs(launch.busy_ns / 1000 - theirs) <= 2 * math.ulp(float(row["ts"]))
    expected = {"vllm_decode.capture": {"no-gpu-kernel": 48}, "flux_aiter.capture": {"captured": 949}}
    assert differences == expected.get(name, {})


def test_the_working_size_links_by_ids_alone(shared: Path) -> None:
    found = launches(shared, "sd35.mi300x")
    assert len(found) == 2_076
    assert all(len(launch.gpu_places) == 1 and launch.notes == () for launch in found)
    assert not any(launch.autotuning for launch in found)


def test_replays_in_their_captures_own_trace(shared: Path) -> None:
    """949 kernels of one graph with one External id, after 949 cpu_ops; and 114 launches of the user's kernels,
    which were captured as well."""
    found = launches(shared, "flux_aiter.capture")
    replays = [launch for launch in found if launch.graph_id == 10_977]
    captured = [launch for launch in found if launch.args_from == "op" and launch.name.startswith("triton_")]
    assert (len(found), len(replays), len(captured)) == (949 + 949 + 114, 949, 949)
    assert [(launch.name, launch.args) for launch in replays] == [
        (launch.name, launch.args) for launch in captured
    ]
    assert all(launch.busy_ns for launch in replays)
    assert {note.code for launch in replays for note in launch.notes} == {"capture"}


def test_every_kernel_that_vllm_replays(shared: Path) -> None:
    found = launches(shared, "vllm_decode.replay", "vllm_decode.capture")
    captured = launches(shared, "vllm_decode.capture")
    assert [launch.args for launch in found] == [launch.args for launch in captured]
    assert all(launch.busy_ns and launch.graph_id == 505_113 for launch in found)
    assert [(row.code, row.launches) for row in capture_summary(found)] == [("capture", 48)]
    assert {note.text for launch in found for note in launch.notes} == {
        "Arguments from vllm_decode.capture.json.gz, which holds the graph's 48 Triton kernels in the same order."
    }


def test_every_kernel_that_flux_replays(shared: Path) -> None:
    found = launches(shared, "flux_aiter.replay", "flux_aiter.capture")
    assert len(found) == 3_796
    assert [(row.code, row.launches, row.with_args) for row in capture_summary(found)] == [
        ("capture", 3_796, 3_796)
    ]
    assert Counter(launch.graph_id for launch in found) == dict.fromkeys((19820, 19837, 19854, 19871), 949)
    unexplained = launches(shared, "flux_aiter.replay")
    assert [(row.code, row.launches) for row in capture_summary(unexplained)] == [("no-capture", 3_796)]


def test_each_replay_finds_its_capture_among_all_traces(shared: Path) -> None:
    candidates = [trace(shared, name) for name in (*NAMES, "one_kernel.a100")]
    for replay, capture in (("vllm_decode.replay", 3), ("flux_aiter.replay", 4)):
        assert find_capture(trace(shared, replay), candidates) is candidates[capture]


def test_two_readers_written_apart_give_the_same_launches(shared: Path) -> None:
    path = shared / "traces" / "transformer_block.mi300x.json.gz"
    plain, _ = link(read_file(path))
    unplaced = [
        replace(launch, place=_bare(launch.place), gpu_places=()) for launch in read_trace(path).launches
    ]
    assert unplaced == [replace(launch, gpu_places=()) for launch in plain]


def _bare(place: Place) -> Place:
    return Place(place.event_index, 0, 0)
