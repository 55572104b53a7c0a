import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.core.observed import ObservedDrift
from limen.core.protocol import DriftRange

drifts = st.lists(st.floats(0, 5), min_size=1, max_size=200)


def _observed(values: list[float]) -> ObservedDrift:
    observed = ObservedDrift()
    for value in values:
        observed.add(value)
    return observed


@given(drifts, st.floats(0.01, 1))
def test_a_quantile_is_exact_to_a_thousandth(values: list[float], q: float) -> None:
    at = _observed(values).quantile(q)
    rounded = sorted(round(value, 3) for value in values)
    assert sum(value <= at + 1e-9 for value in rounded) >= q * len(values) - 1e-9
    assert sum(value < at - 1e-9 for value in rounded) < q * len(values) + 1e-9


def test_memory_does_not_grow_with_the_number_of_drifts() -> None:
    observed = ObservedDrift()
    for n in range(50_000):
        observed.add((n % 2000) / 1000)
    assert observed.n == 50_000
    assert len(observed.counts) == 2000


def test_it_counts_what_lies_in_a_range() -> None:
    assert _observed([0.1, 0.3, 0.5, 1.2]).within(DriftRange(below=0.3)) == 1
    assert _observed([0.1, 0.3, 0.5, 1.2]).within(DriftRange(above=0.3, below=1.0)) == 1


def test_no_drift_is_said_and_is_not_zero() -> None:
    assert ObservedDrift().summary() == {}
    assert ObservedDrift().sentence() == "no drift was observed"
    with pytest.raises(ValueError, match="no drift"):
        ObservedDrift().quantile(0.5)
