"""The exact integer formulas against the sums of squares written out cell by cell."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from limen.core.analysis.crossed import crossed_mean, crossed_mean_difference, mean_squares

answers = arrays.arrays(np.bool_, st.tuples(st.integers(2, 7), st.integers(2, 7)), elements=st.booleans())


def by_cells(off: NDArray[np.bool_]) -> tuple[float, float, float]:
    y = off.astype(float)
    raters, pairs = y.shape
    mean, of_raters, of_pairs = y.mean(), y.mean(axis=1), y.mean(axis=0)
    rest = y - of_raters[:, None] - of_pairs[None, :] + mean
    return (
        pairs * ((of_raters - mean) ** 2).sum() / (raters - 1),
        raters * ((of_pairs - mean) ** 2).sum() / (pairs - 1),
        (rest**2).sum() / ((raters - 1) * (pairs - 1)),
    )


@given(answers)
def test_mean_squares_equal_the_sums_over_cells(off: NDArray[np.bool_]) -> None:
    found = mean_squares(off)
    assert [found.between_raters, found.between_pairs, found.residual] == pytest.approx(by_cells(off), abs=1e-12)


@given(answers)
def test_crossed_variance_of_a_rate_follows_the_ruling(off: NDArray[np.bool_]) -> None:
    raters, pairs = off.shape
    r, i, e = by_cells(off)
    numerator = max(r - e, 0) + max(i - e, 0) + e
    found = crossed_mean(off)
    assert found.variance == pytest.approx(numerator / (raters * pairs), abs=1e-12)
    if found.variance > 0:
        spread = r**2 / (raters - 1) + i**2 / (pairs - 1) + e**2 / ((raters - 1) * (pairs - 1))
        assert found.df == pytest.approx(numerator**2 / spread, rel=1e-9)
    else:
        assert np.isnan(found.df)


@given(st.data())
def test_crossed_variance_of_a_difference_follows_the_ruling(data: st.DataObject) -> None:
    raters = data.draw(st.integers(2, 6))
    target, baseline = (
        data.draw(arrays.arrays(np.bool_, (raters, data.draw(st.integers(2, 6))), elements=st.booleans()))
        for _ in range(2)
    )
    d = target.mean(axis=1) - baseline.mean(axis=1)
    v_r = d.var(ddof=1) / raters
    parts = []
    for off in (target, baseline):
        pairs = off.shape[1]
        parts.append((off.mean(axis=0).var(ddof=1) / pairs, by_cells(off)[2] / (raters * pairs), pairs))
    left = sum(x for _, x, _ in parts)
    variance = max(v_r - left, 0) + sum(max(v - x, 0) for v, x, _ in parts) + left
    found = crossed_mean_difference(target, baseline)
    assert found.value == pytest.approx(target.mean() - baseline.mean(), abs=1e-12)
    assert found.variance == pytest.approx(variance, abs=1e-12)
    if found.variance > 0:
        spread = v_r**2 / (raters - 1) + sum(
            v**2 / (pairs - 1) + x**2 / ((raters - 1) * (pairs - 1)) for v, x, pairs in parts
        )
        assert found.df == pytest.approx(variance**2 / spread, rel=1e-9)


def test_answers_that_do_not_vary_have_a_variance_of_exactly_zero() -> None:
    habit = np.repeat(np.array([[True], [False], [True], [False], [True], [False], [True]]), 3, axis=1)
    assert crossed_mean(np.ones((7, 3), bool)).variance == 0
    assert crossed_mean_difference(habit, np.repeat(habit[:, :1], 5, axis=1)).variance == 0


def test_many_studies_at_once_equal_one_by_one() -> None:
    studies = np.random.default_rng(5).random((20, 4, 6)) < 0.4
    together = crossed_mean_difference(studies[..., :3], studies[..., 3:])
    for place, study in enumerate(studies):
        alone = crossed_mean_difference(study[:, :3], study[:, 3:])
        assert together.variance[place] == alone.variance
        assert together.df[place] == pytest.approx(float(alone.df), nan_ok=True)
