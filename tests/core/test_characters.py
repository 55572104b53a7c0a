"""Characters of simulated raters: ready-made kinds, and mixtures that keep their shares."""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.core.characters import CHARACTERS, MIXTURES, cast_of, parse_mixture
from limen.errors import InputError

weights = st.dictionaries(st.sampled_from(sorted(CHARACTERS)), st.integers(1, 30), min_size=1)


def test_the_ready_made_characters_are_the_declared_ones() -> None:
    assert [*CHARACTERS, *MIXTURES] == ["perceptive", "blind", "yes-sayer", "careless", "mixed"]
    assert all(set(parts) <= set(CHARACTERS) for parts in MIXTURES.values())


def test_a_mixture_of_seven_and_three_is_seven_and_three_of_ten() -> None:
    cast = cast_of(parse_mixture("perceptive:7,careless:3"), first=1, raters=10)
    assert Counter(character.name for character in cast) == {"perceptive": 7, "careless": 3}


def test_mixed_holds_every_kind_and_can_be_mixed_further() -> None:
    assert set(parse_mixture("mixed")) == set(CHARACTERS)
    half = parse_mixture("mixed, careless")
    assert half["careless"] == Fraction(1, 2) + Fraction(1, 20)
    assert sum(half.values()) == 1


@given(weights, st.integers(1, 40), st.integers(1, 60))
def test_every_stretch_has_the_shares_as_nearly_as_can_be(mix: dict[str, int], first: int, raters: int) -> None:
    mixture = parse_mixture(",".join(f"{name}:{weight}" for name, weight in mix.items()))
    so_far = Counter(character.name for character in cast_of(mixture, first=1, raters=raters))
    assert all(abs(so_far[name] - share * raters) < len(mix) for name, share in mixture.items())
    longer = cast_of(mixture, first=1, raters=first + raters)
    assert cast_of(mixture, first=first + 1, raters=raters) == longer[first:]


@pytest.mark.parametrize("text", ["", "nobody", "perceptive:0", "perceptive:x", "blind:-1", "blind:2,", "blind:1.5"])
def test_what_is_no_mixture_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_mixture(text)
    assert "\n" not in str(refused.value)
