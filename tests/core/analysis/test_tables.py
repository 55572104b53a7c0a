import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import cochrans_q

from limen.core.analysis.estimates import ChiSquare, Undetermined
from limen.core.analysis.ratings import Ratings
from limen.core.analysis.tables import ConditionTable, cochran_q, condition_table, independence

cells = st.lists(st.integers(0, 60), min_size=4, max_size=4).map(lambda c: np.array(c).reshape(2, 2))


@given(cells.filter(lambda t: bool(t.sum(axis=0).all() and t.sum(axis=1).all())))
def test_tests_of_a_table_are_those_of_scipy(table: np.ndarray) -> None:
    found = independence(table)
    assert isinstance(found, ConditionTable)
    corrected = stats.chi2_contingency(table)
    plain = stats.chi2_contingency(table, correction=False)
    assert found.chi_square.statistic == pytest.approx(corrected.statistic, rel=1e-9, abs=1e-12)
    assert found.chi_square.p == pytest.approx(corrected.pvalue, rel=1e-9)
    assert found.chi_square.dof == 1
    assert found.uncorrected.p == pytest.approx(plain.pvalue, rel=1e-9)
    assert found.fisher_p == pytest.approx(stats.fisher_exact(table).pvalue, rel=1e-7)


def test_the_table_is_laid_out_as_in_the_protocol() -> None:
    ratings = Ratings.of([[0, 0, 1], [1, 0, 1]], ["calm", "calm", "wild"])
    table = condition_table(ratings.contrast(target="wild", baseline="calm"))
    assert table.tolist() == [[3, 1], [0, 2]]


def test_an_empty_row_or_column_leaves_the_tests_undetermined() -> None:
    assert independence(np.array([[0, 0], [3, 4]])) == Undetermined(reason="a condition has no answers")
    assert independence(np.array([[5, 0], [9, 0]])) == Undetermined(reason="all answers are the same")


def test_what_is_no_table_of_counts_is_refused() -> None:
    with pytest.raises(ValueError, match="2×2"):
        independence(np.array([[1, 2, 3], [4, 5, 6]]))
    with pytest.raises(ValueError, match="2×2"):
        independence(np.array([[1, -2], [3, 4]]))


def test_a_million_answers_are_no_trouble_for_fisher() -> None:
    found = independence(np.array([[250_100, 249_900], [249_700, 250_300]]))
    assert isinstance(found, ConditionTable)
    assert found.fisher_p == pytest.approx(found.chi_square.p, rel=0.01)


def test_cochrans_q_is_that_of_statsmodels() -> None:
    off = np.random.default_rng(3).random((12, 6)) < np.linspace(0.2, 0.8, 6)
    found = cochran_q(Ratings.of(off, ["calm"] * 6))
    expected = cochrans_q(off.astype(int))
    assert isinstance(found, ChiSquare)
    assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue))


def test_raters_who_answer_all_alike_do_not_move_cochrans_q() -> None:
    off = np.random.default_rng(3).random((12, 6)) < 0.5
    with_habit = np.vstack([off, np.ones((3, 6), bool), np.zeros((2, 6), bool)])
    one, other = (cochran_q(Ratings.of(part, ["calm"] * 6)) for part in (off, with_habit))
    assert isinstance(one, ChiSquare)
    assert isinstance(other, ChiSquare)
    assert one.statistic == pytest.approx(other.statistic)


def test_cochrans_q_needs_pairs_that_somebody_tells_apart() -> None:
    alike = Ratings.of([[1, 1], [0, 0]], ["calm"] * 2)
    gappy = Ratings.of([[1, 0]], ["calm"] * 2, answered=[[1, 0]])
    single = Ratings.of([[1], [0]], ["calm"])
    reasons = [found.reason for found in map(cochran_q, (alike, gappy, single)) if isinstance(found, Undetermined)]
    assert reasons == [
        "every rater gave all pairs the same answer",
        "1 of 2 answers are missing",
        "at least two pairs are needed",
    ]
