from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from limen.core.randomness import Stream


@given(st.integers(min_value=0), st.text(max_size=20), st.lists(st.integers(), max_size=30))
def test_the_same_seed_and_name_give_the_same_order(seed: int, name: str, items: list[int]) -> None:
    assert Stream(seed, name).shuffled(items) == Stream(seed, name).shuffled(items)


@given(st.lists(st.integers(), max_size=30))
def test_an_order_loses_and_adds_nothing(items: list[int]) -> None:
    assert Counter(Stream(1, "order").shuffled(items)) == Counter(items)


def test_another_name_gives_another_stream() -> None:
    assert [Stream(1, "a").unit() for _ in range(3)] != [Stream(1, "b").unit() for _ in range(3)]


def test_draws_are_the_ones_of_this_version_forever() -> None:
    # a study drawn today must be drawn again in ten years: these numbers may never change
    assert Stream(20251228, "order/17").shuffled(range(10)) == (2, 4, 9, 8, 0, 3, 5, 7, 1, 6)
    assert [Stream(20251228, "selection").below(1000)] == [230]


def test_every_order_of_three_is_about_equally_likely() -> None:
    orders = Counter(Stream(seed, "order").shuffled("abc") for seed in range(6000))
    assert len(orders) == 6
    # 1000 expected each; 5 standard deviations of a binomial(6000, 1/6) are 144
    assert all(abs(count - 1000) < 144 for count in orders.values())
