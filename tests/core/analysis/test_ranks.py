import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from limen.core.analysis.estimates import Undetermined
from limen.core.analysis.ranks import rank_correlation

PAIRS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=40)


@given(PAIRS)
def test_it_is_spearmans_as_scipy_has_it(pairs: list[tuple[int, int]]) -> None:
    one, other = [x for x, _ in pairs], [y for _, y in pairs]
    found = rank_correlation(one, other)
    if len(set(one)) == 1 or len(set(other)) == 1:
        assert found == Undetermined(reason="all values are the same")
    else:
        assert found == pytest.approx(float(stats.spearmanr(one, other).statistic), abs=1e-12)


def test_it_sees_order_only() -> None:
    values = [0.1, 0.2, 0.5, 3.0]
    assert rank_correlation(values, [v**3 for v in values]) == 1.0
    assert rank_correlation(values, [-v for v in values]) == -1.0


def test_too_few_values_are_no_correlation() -> None:
    assert rank_correlation([1, 2], [1, 2]) == Undetermined(reason="fewer than 3 values")
    assert rank_correlation([], []) == Undetermined(reason="fewer than 3 values")


def test_lists_of_two_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="one beside it"):
        rank_correlation([1, 2, 3], [1, 2])
