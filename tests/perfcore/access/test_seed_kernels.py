"""The seed's four kernels, as genuine Inductor output: the bytes of model.md §1, from the source alone."""

from __future__ import annotations

import pytest

from perfcore.inductor import read_inductor_file
from perfcore.inductor.access import Accesses, analyse, moved
from tests.ground_truth import CORPUS

SEED = {
    "mul_silu_2": 1_610_612_736,
    "mean_mul_pow_rsqrt_0": 268_439_552,
    "mean_mul_pow_rsqrt_1": 402_657_280,
    "add_3": 536_870_912,
}


def kernels(version: str, model: str) -> dict[str, Accesses]:
    found = {}
    for path in sorted((CORPUS / version / model / "cache").rglob("*.py")):
        for kernel in read_inductor_file(str(path), path.read_text()).kernels:
            accesses = analyse(kernel)
            assert isinstance(accesses, Accesses), accesses
            found[kernel.name] = accesses
    return found


@pytest.mark.parametrize("version", ["2.4.1", "2.7.1", "2.12.1", "2.13.0"])
def test_the_seeds_bytes_come_out_of_the_text_alone(version: str) -> None:
    figures = {
        name: moved(accesses, {}) for name, accesses in kernels(version, "transformer_block_bf16").items()
    }
    for ending, wanted in SEED.items():
        (figure,) = [figure for name, figure in figures.items() if name.endswith(ending)]
        assert (figure.bytes_moved, figure.exact) == (wanted, True)


def test_the_launchs_numels_give_way_to_nothing() -> None:
    """A dynamic kernel's text does not tell its numels: without a launch the bytes are unknown, never 0."""
    by_name = kernels("2.13.0", "transformer_block_dynamic")
    accesses = by_name["triton_poi_fused__unsafe_view_add_3"]
    assert moved(accesses, {}).bytes_moved is None
    assert moved(accesses, {"x": 1000}).bytes_moved == 1000 * 2 * 4
