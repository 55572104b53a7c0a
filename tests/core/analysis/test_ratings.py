import numpy as np
import pytest

from limen.core.analysis.ratings import MISSING, Contrast, Ratings
from limen.errors import DataError


def some_ratings() -> Ratings:
    return Ratings.of(
        [[0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 1, 1]],
        ["calm", "warm", "wild", "calm"],
        answered=[[1, 1, 1, 1], [1, 1, 0, 1], [1, 1, 1, 1]],
    )


def test_conditions_are_data_in_the_order_of_appearance() -> None:
    ratings = some_ratings()
    assert ratings.conditions == ("calm", "warm", "wild")
    assert ratings.condition.tolist() == [0, 1, 2, 0]


def test_pairs_are_chosen_by_any_set_of_conditions() -> None:
    chosen = some_ratings().of_condition("calm", "wild")
    assert chosen.pairs == 3
    assert chosen.off.astype(int).tolist() == [[0, 1, 0], [1, 0, 0], [0, 1, 1]]


def test_a_missing_answer_counts_neither_as_normal_nor_as_off() -> None:
    ratings = some_ratings()
    assert (ratings.n, ratings.n_off, ratings.missing) == (11, 6, 1)
    assert ratings.category_counts().tolist() == [[2, 1], [1, 2], [0, 2], [2, 1]]
    assert ratings.codes()[1].tolist() == [1, 1, MISSING, 0]


def test_what_stands_in_an_unanswered_cell_does_not_matter() -> None:
    marks = [[True, False]]
    one = Ratings.of([[1, 0]], ["calm", "wild"], answered=marks)
    other = Ratings.of([[1, 1]], ["calm", "wild"], answered=marks)
    assert np.array_equal(one.off, other.off)


def test_complete_raters_are_those_who_answered_every_pair() -> None:
    assert some_ratings().of_complete_raters().raters == 2


def test_ratings_cannot_be_changed_afterwards() -> None:
    answers = np.array([[0, 1]])
    ratings = Ratings.of(answers, ["calm", "wild"])
    answers[0, 0] = 1
    assert ratings.n_off == 1
    with pytest.raises(ValueError, match="read-only"):
        ratings.off[0, 0] = True


def test_an_answer_outside_the_two_is_refused() -> None:
    with pytest.raises(DataError, match="found something else"):
        Ratings.of([[0, 2]], ["calm", "wild"])


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(DataError, match="do not fit"):
        Ratings.of([[0, 1]], ["calm"])


def test_a_condition_that_is_not_listed_is_refused() -> None:
    with pytest.raises(DataError, match="no condition 'mild'; there are calm, warm, wild"):
        some_ratings().of_condition("mild")
    with pytest.raises(DataError, match="not listed"):
        Ratings(
            off=np.zeros((1, 1), bool),
            answered=np.ones((1, 1), bool),
            condition=np.array([1]),
            conditions=("calm",),
        )
    with pytest.raises(DataError, match="repeat"):
        Ratings(
            off=np.zeros((1, 1), bool),
            answered=np.ones((1, 1), bool),
            condition=np.array([0]),
            conditions=("calm", "calm"),
        )


def test_a_contrast_has_the_same_raters_on_both_sides() -> None:
    ratings = some_ratings()
    contrast = ratings.contrast(target="wild", baseline="calm")
    assert (contrast.raters, contrast.n) == (3, 8)
    with pytest.raises(DataError, match="3 raters against 2"):
        Contrast(target=ratings, baseline=ratings.of_complete_raters())
