"""Ready-made kinds of simulated raters, and mixtures of them.

The numbers are chosen to differ plainly from one another; they describe no real people.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice

from limen.core.simulation import Observers, Readers
from limen.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Character:
    """A kind of rater: what it perceives, how fast it reads, and whether it answers what is optional."""

    name: str
    observers: Observers
    readers: Readers = field(default_factory=Readers)
    answers_debrief: bool = True


CHARACTERS: Mapping[str, Character] = {
    character.name: character
    for character in (
        Character(
            name="perceptive",
            observers=Observers(
                d_prime=2.2, criterion=0.2, d_prime_sd=0.4, criterion_sd=0.3, pair_sd=0.5, lapse_rate=0.02
            ),
        ),
        Character(
            name="blind",
            observers=Observers(d_prime=0.0, criterion=1.0, criterion_sd=0.3, pair_sd=0.3, lapse_rate=0.02),
        ),
        Character(
            name="yes-sayer",
            observers=Observers(d_prime=0.4, criterion=-1.2, criterion_sd=0.3, pair_sd=0.3, lapse_rate=0.05),
        ),
        Character(
            name="careless",
            observers=Observers(lapse_rate=0.9),
            readers=Readers(words_per_minute=5000.0, decision_ms=400.0),
            answers_debrief=False,
        ),
    )
}

MIXTURES: Mapping[str, Mapping[str, int]] = {"mixed": {"perceptive": 7, "blind": 1, "yes-sayer": 1, "careless": 1}}
"""Mixtures that have a name of their own: so many of each kind among ten."""

Mixture = Mapping[str, Fraction]
"""Shares by the character's name; they sum to 1."""


def parse_mixture(text: str) -> Mixture:
    """Read NAME or NAME:WEIGHT, several with commas; raise InputError for anything else.

    >>> [f"{name} {share}" for name, share in parse_mixture("perceptive:7,careless:3").items()]
    ['perceptive 7/10', 'careless 3/10']
    """
    weights: dict[str, Fraction] = {}
    for part in text.split(","):
        name, _, given = (piece.strip() for piece in part.partition(":"))
        parts = MIXTURES.get(name) or ({name: 1} if name in CHARACTERS else None)
        if parts is None:
            known = ", ".join((*CHARACTERS, *MIXTURES))
            raise InputError(f"{name or text!r}: no such character of simulated raters; there are {known}")
        if given and not (given.isascii() and given.isdigit() and 0 < int(given) <= 1_000_000):
            raise InputError(f"{part.strip()}: a whole number above 0 was expected after the colon, as in {name}:3")
        for one, count in parts.items():
            share = Fraction(int(given or 1) * count, sum(parts.values()))
            weights[one] = weights.get(one, Fraction(0)) + share
    total = sum(weights.values())
    return {name: weight / total for name, weight in weights.items()}


def cast_of(mixture: Mixture, *, first: int, raters: int) -> tuple[Character, ...]:
    """Give the characters of raters number `first` and on. Every run of ten has the shares as nearly as can be.

    >>> [character.name for character in cast_of(parse_mixture("blind:2,careless:1"), first=1, raters=3)]
    ['blind', 'careless', 'blind']
    """
    return tuple(islice(_casting(mixture), first - 1, first - 1 + raters))


def _casting(mixture: Mixture) -> Iterator[Character]:
    """Take whichever character is furthest behind its share; of equals, the first named."""
    behind = dict.fromkeys(mixture, Fraction(0))
    while True:
        for name, share in mixture.items():
            behind[name] += share
        chosen = max(mixture, key=lambda name: behind[name])
        behind[chosen] -= 1
        yield CHARACTERS[chosen]
