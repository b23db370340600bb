"""Settings in every shape in which editors send them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inductor_lens.settings import Settings, read_settings


@pytest.mark.parametrize(
    "sent",
    [
        {"lowBandwidth": {"peakPercent": 70}, "traces": ["a.json"]},
        {"lowBandwidth.peakPercent": 70, "traces": ["a.json"]},
        {"inductorLens": {"lowBandwidth": {"peakPercent": 70}, "traces": "a.json"}},
        {"inductorLens.lowBandwidth.peakPercent": 70, "inductorLens.traces": ["a.json"]},
    ],
)
def test_nested_and_dotted_keys_mean_the_same(sent: object) -> None:
    assert read_settings(sent) == Settings(traces=("a.json",), low_peak_percent=70)


def test_path_mappings_are_an_object_or_a_list() -> None:
    expected = (("/root/cache", "/home/me/cache"),)
    assert read_settings({"pathMappings": {"/root/cache": "/home/me/cache"}}).path_mappings == expected
    as_list = {"pathMappings": [{"from": "/root/cache", "to": "/home/me/cache"}]}
    assert read_settings(as_list).path_mappings == expected


def test_a_wrong_value_costs_only_itself_and_is_named() -> None:
    settings = read_settings({"traces": 3, "codeLens": False, "lowBandwidth": {"peakPercent": 900}})
    assert settings == Settings(code_lens=False)
    assert settings.complaints == (
        "Setting inductorLens.traces is ignored: a list of strings is wanted.",
        "Setting inductorLens.lowBandwidth.peakPercent is ignored: a number from 0 to 100 is wanted.",
    )


def test_null_means_the_default_and_what_is_not_sent_stays() -> None:
    base = Settings(device="MI300X", inlay_hints=False)
    assert read_settings({"device": None}, base) == Settings(inlay_hints=False)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["inductorLens", "lowBandwidth", "peakPercent", "pathMappings", "from"]), inner
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_no_json_is_too_odd(value: object) -> None:
    read_settings(value)


def test_what_no_file_can_be_called_is_no_path() -> None:
    settings = read_settings(
        {"traces": ["a\0b.json"], "inductorCacheDirs": ["\ud83d"], "captureTraces": ["~nobody/x"]}
    )
    assert settings == Settings(capture_traces=("~nobody/x",))
    assert settings.complaints == (
        "Setting inductorLens.traces is ignored: no path holds a NUL or half a surrogate pair.",
        "Setting inductorLens.inductorCacheDirs is ignored: no path holds a NUL or half a surrogate pair.",
    )
