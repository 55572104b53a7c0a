import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss_kappa

from limen.core.analysis.agreement import (
    KappaLabel,
    category_counts,
    fleiss_kappa,
    gwet_ac1,
    kappa_label,
    krippendorff_alpha,
    percent_agreement,
)
from limen.core.analysis.estimates import Undetermined
from limen.core.analysis.ratings import Ratings

ALL_ALIKE = Undetermined(reason="undefined (all raters gave one answer; agreement 100 %)")
NOT_TWICE = Undetermined(reason="no pair was answered by two raters")


def by_pairs_of_raters(codes: NDArray[np.int64]) -> float:
    """Percent agreement the slow way: every two raters who answered a pair."""
    shares = []
    for column in codes.T:
        given_answers = column[column >= 0]
        same = [a == b for i, a in enumerate(given_answers) for b in given_answers[i + 1 :]]
        if same:
            shares.append(np.mean(same))
    return float(np.mean(shares))


def number(found: float | Undetermined) -> float:
    assert isinstance(found, float)
    return found


@given(st.integers(2, 12), st.integers(2, 15), st.integers(2, 5), st.integers(0, 10_000))
def test_fleiss_kappa_is_that_of_statsmodels(raters: int, pairs: int, categories: int, seed: int) -> None:
    codes = np.random.default_rng(seed).integers(0, categories, (raters, pairs))
    counts = category_counts(codes, categories)
    if (counts.sum(axis=0) > 0).sum() > 1:
        assert fleiss_kappa(counts) == pytest.approx(statsmodels_fleiss_kappa(counts), abs=1e-12)
    else:
        assert fleiss_kappa(counts) == ALL_ALIKE


def test_a_kappa_that_is_exactly_a_bound_is_not_above_it() -> None:
    said_off = [1, 0, 1, 1, 1, 0, 2, 1, 0, 1, 4, 4, 4, 5, 4, 3, 4, 5, 5, 4]  # of 5 raters each: κ is 2/5
    counts = np.array([[5 - off, off] for off in said_off])
    assert statsmodels_fleiss_kappa(counts) != 0.4  # what sums of rounded numbers make of it
    for order in range(20):
        turned = np.random.default_rng(order).permutation(counts)
        assert fleiss_kappa(turned) == 0.4
        assert kappa_label(number(fleiss_kappa(turned))) is KappaLabel.FAIR


@given(st.integers(2, 9), st.integers(2, 12), st.integers(0, 10_000))
def test_fleiss_kappa_does_not_depend_on_the_order_of_pairs_to_the_last_digit(
    raters: int, pairs: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    counts = category_counts(rng.integers(-1, 2, (raters, pairs)), 2)
    assert fleiss_kappa(rng.permutation(counts)) == fleiss_kappa(counts)


@given(st.integers(2, 6), st.integers(2, 8), st.integers(0, 10_000))
def test_percent_agreement_counts_every_two_raters(raters: int, pairs: int, seed: int) -> None:
    codes = np.random.default_rng(seed).integers(-1, 3, (raters, pairs))
    counts = category_counts(codes, 3)
    if (counts.sum(axis=1) >= 2).any():
        assert percent_agreement(counts) == pytest.approx(by_pairs_of_raters(codes))
    else:
        assert percent_agreement(counts) == NOT_TWICE


def test_alpha_by_hand() -> None:
    # three pairs, answers aab / bb / a: the last has no second answer and is left out.
    # n = 5 answers (2 a, 3 b); observed disagreement: pair 1 has 2 of 3 rater pairs apart.
    # D_o = 3 * (2/3) / 5 = 0.4, D_e = (25 - 4 - 9) / (5 * 4) = 0.6
    assert krippendorff_alpha([[2, 1], [0, 2], [1, 0]]) == pytest.approx(1 - 0.4 / 0.6)


def test_perfect_agreement_is_one() -> None:
    for coefficient in (percent_agreement, fleiss_kappa, gwet_ac1, krippendorff_alpha):
        assert coefficient([[5, 0], [0, 5], [5, 0]]) == pytest.approx(1.0)


def test_when_all_say_the_same_kappa_and_alpha_are_undefined_not_zero() -> None:
    alike = [[5, 0], [5, 0]]
    assert fleiss_kappa(alike) == ALL_ALIKE
    assert krippendorff_alpha(alike) == ALL_ALIKE
    assert percent_agreement(alike) == 1.0
    assert gwet_ac1(alike) == 1.0


@pytest.mark.parametrize("counts", [[[1, 0], [0, 1]], [[0, 0]], np.zeros((0, 2))])
def test_without_a_second_rater_agreement_is_undetermined(counts: ArrayLike) -> None:
    for coefficient in (percent_agreement, fleiss_kappa, gwet_ac1, krippendorff_alpha):
        assert coefficient(counts) == NOT_TWICE


def test_a_category_nobody_used_changes_ac1_only() -> None:
    two, three = [[4, 1], [2, 3]], [[4, 1, 0], [2, 3, 0]]
    assert number(gwet_ac1(three)) != pytest.approx(number(gwet_ac1(two)))
    assert fleiss_kappa(three) == pytest.approx(fleiss_kappa(two))
    assert krippendorff_alpha(three) == pytest.approx(krippendorff_alpha(two))


def test_a_code_outside_the_categories_is_refused() -> None:
    with pytest.raises(ValueError, match="outside the 2 categories"):
        category_counts(np.array([[0, 2]]), 2)


@pytest.mark.parametrize(
    ("kappa", "label"),
    [
        (-0.3, KappaLabel.POOR),
        (0.20, KappaLabel.POOR),
        (0.2000001, KappaLabel.FAIR),
        (0.40, KappaLabel.FAIR),
        (0.404, KappaLabel.MODERATE),
        (0.60, KappaLabel.MODERATE),
        (0.61, KappaLabel.SUBSTANTIAL),
        (0.80, KappaLabel.SUBSTANTIAL),
        (1.0, KappaLabel.ALMOST_PERFECT),
    ],
)
def test_kappa_is_labelled_before_it_is_rounded(kappa: float, label: KappaLabel) -> None:
    assert kappa_label(kappa) is label


def test_a_million_answers_agree_in_a_moment() -> None:
    rng = np.random.default_rng(1)
    off = rng.random((50_000, 20)) < rng.random(20)
    ratings = Ratings.of(off, ["calm"] * 10 + ["wild"] * 10)
    started = time.process_time()
    kappa = fleiss_kappa(ratings.category_counts())
    assert time.process_time() - started < 1.0
    assert kappa == pytest.approx(statsmodels_fleiss_kappa(ratings.category_counts()), abs=1e-12)
