"""Pairs and raters one by one, and detection against drift."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from limen.core import notation
from limen.core.analysis.estimates import Estimate, Undetermined
from limen.core.description import PairRow, RaterRow
from limen.core.findings import Analysis, StudyCondition
from limen.core.numerals import counted
from limen.report.document import Block, Column, FigurePlace, Paragraph, Row, Section, Table
from limen.report.phrasing import Roles, key_of

Value = TypeVar("Value", float, Estimate)

_MOST_RATERS = 60
_MOST_PAIRS = 200


def pairs(analysis: Analysis) -> Section:
    """Show the pairs, and the OFF rate against their drift."""
    return Section(
        key="pairs",
        title="Pairs and drift",
        blocks=(FigurePlace(key="drift"), FigurePlace(key="pairs"), *_pair_table(analysis)),
    )


def raters(analysis: Analysis) -> Section:
    """Show the raters."""
    return Section(key="raters", title="Raters", blocks=(FigurePlace(key="answers"), *_rater_table(analysis)))


def _pair_table(analysis: Analysis) -> Iterator[Block]:
    titles = ("drift A", "drift B", "words", "said OFF", "OFF rate", "by the model", "median time")
    listed = analysis.pairs[:_MOST_PAIRS]
    yield Table(
        caption="OFF rates with Wilson's interval, and as the probit model expects them of a typical rater",
        columns=(
            Column(title="pair"),
            Column(title="provider"),
            *(Column(title=title, numeric=True) for title in titles),
        ),
        rows=tuple(_pair(row) for row in listed),
    )
    yield from _without_model(row.off_rate_shrunken for row in listed)
    if len(listed) < len(analysis.pairs):
        yield _more(len(listed), len(analysis.pairs), "pair")


def _pair(row: PairRow) -> Row:
    return Row(
        head=(row.pair_id,),
        cells=(
            (row.provider or "–",),
            (_or_dash(row.drift_a),),
            (_or_dash(row.drift_b),),
            (notation.count(row.words) if row.words is not None else "–",),
            (f"{notation.count(row.off)} of {notation.count(row.n)}",),
            (notation.percent_estimate(row.off_rate),),
            (_by_model(row.off_rate_shrunken, notation.percent_estimate),),
            (notation.duration(row.median_response_time_ms),),
        ),
    )


def _or_dash(value: float | None) -> str:
    return "–" if value is None else notation.decimal(value)


def _rater_table(analysis: Analysis) -> Iterator[Block]:
    if len(analysis.raters) > _MOST_RATERS:
        yield Paragraph(
            text=f"The {counted(len(analysis.raters), 'rater')} are too many to list here; analysis.json has them one "
            "by one."
        )
        return
    roles = Roles.of(analysis.study)
    titles = ("d′", "d′ by the model", "c", "c by the model", "median time", "words a minute", "checks failed")
    yield Table(
        caption="Rater by rater: how many pairs of each condition were called off, sensitivity, criterion and pace",
        columns=(
            Column(title="rater"),
            *(Column(title=condition.name, numeric=True) for condition in (roles.target, roles.baseline)),
            *([Column(title="other conditions")] if roles.others else []),
            *(Column(title=title, numeric=True) for title in titles),
            Column(title="flags"),
        ),
        rows=tuple(_rater(row, roles) for row in analysis.raters),
    )
    yield from _without_model(value for row in analysis.raters for value in (row.d_prime_shrunken, row.c_shrunken))


def _rater(row: RaterRow, roles: Roles) -> Row:
    def called_off(condition: StudyCondition) -> str:
        key = key_of(condition)
        return f"{notation.count(row.off[key])} of {notation.count(row.n[key])}"

    between = tuple(f"{condition.name} {called_off(condition)}" for condition in roles.others)
    return Row(
        head=(row.participant,),
        cells=(
            (called_off(roles.target),),
            (called_off(roles.baseline),),
            *([between] if between else []),
            (notation.decimal(row.d_prime),),
            (_by_model(row.d_prime_shrunken, notation.decimal),),
            (notation.decimal(row.c),),
            (_by_model(row.c_shrunken, notation.decimal),),
            (notation.duration(row.median_response_time_ms),),
            (notation.decimal(row.median_words_per_minute, 0),),
            (notation.count(row.checks_failed),),
            (", ".join(flag.replace("_", " ") for flag in row.flags) or "–",),
        ),
    )


def _by_model(value: Value | Undetermined, write: Callable[[Value], str]) -> str:
    """Write what the model expects, or a dash; `_without_model` says why, once."""
    return "–" if isinstance(value, Undetermined) else write(value)


def _without_model(values: Iterable[object]) -> Iterator[Block]:
    reasons = dict.fromkeys(value.reason for value in values if isinstance(value, Undetermined))
    if reasons:
        yield Paragraph(text=f"By the model, – stands where there is nothing to tell: {'; '.join(reasons)}.")


def _more(shown: int, total: int, noun: str) -> Paragraph:
    return Paragraph(
        text=f"These are the first {notation.count(shown)} of {counted(total, noun)}; analysis.json has all."
    )
