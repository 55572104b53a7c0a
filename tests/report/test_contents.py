"""What the report says: every section for every outcome, nothing that is not in the Analysis."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from datetime import datetime

import pytest

from limen.core import notation
from limen.core.analysis.estimates import Estimate, Interval, Undetermined
from limen.core.description import DebriefSummary
from limen.core.findings import Analysis
from limen.core.outcome import CompanionVerdict, Letter, MixedReason
from limen.core.settings import Setting
from limen.core.simulation import Observers
from limen.report.contents import compose
from limen.report.sections.front import make_front
from simulated_studies import ABLE, Plan, an_analysis, everything_undetermined, undrawn

SECTIONS = [
    "detection",
    "difference",
    "confounds",
    "agreement",
    "hypotheses",
    "outcome",
    "people",
    "specification",
    "pairs",
    "raters",
    "times",
    "attention",
    "course",
    "debrief",
    "providers",
    "settings",
    "words",
]

GUESSING = Observers(d_prime=0.0, criterion=0.0, criterion_sd=0.3, pair_sd=0.2)
AGREEING = Observers(d_prime=2.4, pair_sd=0.9, criterion=-0.2)

LETTERS = [
    (Letter.A, None),
    (Letter.B, None),
    (Letter.C, MixedReason.ONLY_AGREEMENT_FAILS),
    (Letter.C, MixedReason.CONSERVATIVE_CRITERION),
    (Letter.C, MixedReason.RESPONSE_BIAS),
    (Letter.C, MixedReason.REST),
    (Letter.NOT_ASSESSABLE, None),
]


@pytest.mark.parametrize(("letter", "reason"), LETTERS)
def test_every_section_stands_in_both_forms_for_each_outcome(letter: Letter, reason: MixedReason | None) -> None:
    analysis = an_analysis()
    outcome = replace(analysis.outcome, letter=letter, reason=reason, reason_sentence="Why it is so.")
    report = undrawn(replace(analysis, outcome=outcome))
    assert [section.key for section in report.document.sections] == SECTIONS
    for section in (*report.document.sections, report.document.made):
        assert f'<section id="{section.key}"' in report.html
        assert f"## {_escaped(section.title)}" in report.markdown
    front = report.document.front
    assert front.outcome == ("Not assessable" if letter is Letter.NOT_ASSESSABLE else f"Outcome {letter}")
    assert front.answer


@pytest.mark.parametrize(
    ("observers", "raters", "letter", "begins"),
    [
        (AGREEING, 10, Letter.A, "Yes, these people noticed."),
        (GUESSING, 10, Letter.B, "Not that these answers show."),
        (ABLE, 10, Letter.C, "Partly."),
        (
            ABLE,
            4,
            Letter.NOT_ASSESSABLE,
            "Too early to tell. 4 of at least 5 raters can be analyzed; 1 more is needed.",
        ),
    ],
)
def test_the_first_screen_answers_in_plain_words(
    observers: Observers, raters: int, letter: Letter, begins: str
) -> None:
    analysis = an_analysis(Plan(observers=observers, raters=raters, bad=False))
    assert analysis.outcome.letter is letter
    assert compose(analysis).front.answer.startswith(begins)


def test_the_first_screen_has_question_outcome_rates_with_intervals_and_people() -> None:
    analysis = an_analysis()
    page = _text(undrawn(analysis).html)
    first = page[: page.index("Contents")]
    for words in (
        "Do people notice",
        "Outcome C",
        "69 % ",
        "50 % to 83 %",
        "13 % ",
        "6 % to 26 %",
        "10 people analyzed",
    ):
        assert words in first, words
    assert "CATASTROPHIC pairs" in first
    assert "BASELINE pairs" in first


@pytest.mark.parametrize("verdict", [*CompanionVerdict, Undetermined(reason="raters do not vary")])
def test_the_companion_verdict_is_said_with_the_letter(verdict: CompanionVerdict | Undetermined) -> None:
    analysis = an_analysis()
    report = undrawn(replace(analysis, outcome=replace(analysis.outcome, companion_verdict=verdict)))
    said = "raters do not vary" if isinstance(verdict, Undetermined) else verdict.value
    assert said in report.document.front.surely
    assert report.html.count(said) >= 2


@pytest.mark.parametrize("verdict", [*CompanionVerdict, Undetermined(reason="raters do not vary")])
@pytest.mark.parametrize(("letter", "reason"), LETTERS[:-1])
def test_the_letter_and_the_companion_are_reconciled_in_one_sentence(
    letter: Letter, reason: MixedReason | None, verdict: CompanionVerdict | Undetermined
) -> None:
    analysis = an_analysis()
    shown = letter is Letter.A or reason in (MixedReason.ONLY_AGREEMENT_FAILS, MixedReason.CONSERVATIVE_CRITERION)
    outcome = replace(
        analysis.outcome,
        letter=letter,
        reason=reason,
        companion_verdict=verdict,
        clauses={**analysis.outcome.clauses, "a3": shown},
    )
    said = make_front(replace(analysis, outcome=outcome)).together
    assert re.fullmatch(f"{letter}, because [^;.]*([.][0-9]+[^;.]*)*; [^;.]*[.]", said), said
    assert ("the difference itself holds up" in said) == (
        shown and verdict in (CompanionVerdict.DETECTS, CompanionVerdict.BELOW_MARGIN)
    )
    in_substance = reason is MixedReason.RESPONSE_BIAS and verdict is CompanionVerdict.EQUIVALENT
    assert ("in substance this suggests, and does not establish, Outcome B" in said) == in_substance
    many = make_front(replace(analysis, outcome=outcome, n=replace(analysis.n, analyzed=11))).together
    assert ("in substance this is Outcome B" in many) == in_substance
    assert ("does not show that there is no difference" in said) == (
        not shown and verdict is CompanionVerdict.INCONCLUSIVE
    )


def test_the_first_screen_says_what_agreement_was_taken_over_and_how_far_the_rates_differ() -> None:
    front = make_front(an_analysis())
    assert front.together.startswith("C, because agreement (Fleiss κ 0.")
    assert "over all pairs) is not above 0.40; the difference itself holds up." in front.together
    assert re.fullmatch(
        r"Difference of the two rates: [+]\d+ points; with other raters and pairs, plausibly [+]\d+ to [+]\d+ points "
        r"[(]95 % interval[)]\.",
        front.difference,
    )
    target, baseline = (rate.bar for rate in front.rates)
    assert target is not None
    assert baseline is not None
    assert (target.chance, baseline.chance) == (0.5, None)


def test_no_difference_beyond_100_points_is_printed() -> None:
    analysis = an_analysis(Plan(raters=4, bad=False))
    wide = Estimate(value=0.7, interval=Interval(low=-1.2, high=1.05), n=80, method="crossed t")
    crossed = analysis.companions.crossed_t
    difference = replace(crossed.difference, difference=wide, difference_90_interval=wide.interval)
    companions = replace(analysis.companions, crossed_t=replace(crossed, difference=difference))
    rows = tuple(
        replace(
            row, result=row.result if isinstance(row.result, Undetermined) else replace(row.result, difference=wide)
        )
        for row in analysis.specification
    )
    report = undrawn(replace(analysis, companions=companions, specification=rows))
    assert "plausibly −100 to +100 points" in report.document.front.difference
    assert report.html.count("[−100, +100]") > len(rows)
    for text in (report.markdown, report.html):
        assert "+105" not in text
        assert "−120" not in text


def test_without_a_letter_there_is_nothing_to_reconcile() -> None:
    assert make_front(an_analysis(Plan(raters=4, bad=False))).together == ""


def test_simulated_data_says_so_in_the_first_line() -> None:
    analysis = an_analysis()
    report = undrawn(replace(analysis, study=replace(analysis.study, mode="simulated")))
    assert report.markdown.startswith(
        "> **Simulated data: these answers come from simulated raters, not from people.**"
    )
    assert _text(report.html).split("To the report", 1)[1].lstrip().startswith("Simulated data:")
    assert "people noticed" not in report.html


LIMENS, OTHER = "protocol thresholds on Limen's lexicon", "not the protocol's condition"


@pytest.mark.parametrize(
    ("metric", "standing", "setting", "says"),
    [
        ("keyword-rms/s7", None, None, None),
        ("keyword-rms/limen-1", LIMENS, None, LIMENS),
        ("cosine", OTHER, None, OTHER),
        ("keyword-rms/s7", None, "conditions.CATASTROPHIC.drift.above", OTHER),
        ("keyword-rms/s7", None, "decision.alpha", "not the built-in protocol's"),
        (None, None, None, "do not name the metric"),
    ],
)
def test_what_is_not_the_protocols_stands_on_the_first_page(
    metric: str | None, standing: str | None, setting: str | None, says: str | None
) -> None:
    analysis = an_analysis()
    study = replace(analysis.study, metric=metric, metric_standing=standing)
    settings = (Setting(key=setting, built_in="1.0", here="0.8"),) if setting else ()
    notices = compose(replace(analysis, study=study, settings=settings)).front.notices
    assert (notices == ()) if says is None else any(says in notice for notice in notices)


def test_a_model_without_spread_gives_dashes_and_one_sentence() -> None:
    analysis = an_analysis(Plan(observers=Observers(d_prime=1.6, criterion=0.1), seed=2, bad=False))
    assert all(isinstance(row.off_rate_shrunken, Undetermined) for row in analysis.pairs)
    report = undrawn(analysis)
    for text in (report.html, report.markdown):
        assert text.count("the model found no spread between pairs") == 1
        assert text.count("the data support no spread between raters") == 1
        assert text.count("no slope spread supported: same as the intercept model") >= 1
        assert "The open circle" not in text


def test_everything_undetermined_is_a_report_that_says_so() -> None:
    report = undrawn(everything_undetermined(an_analysis()))
    for text in (report.html, report.markdown):
        assert text.count("there is too little to tell") > 50
        assert not re.search(r"\bnan\b|\bNone\b|Undetermined\(", text)


@pytest.mark.parametrize("plan", [Plan(table_only=True), Plan(raters=1, bad=False), Plan(conditions=5)])
def test_no_value_shows_its_inside(plan: Plan) -> None:
    report = undrawn(an_analysis(plan))
    for text in (report.html, report.markdown):
        assert not re.search(r"\bnan\b|\bNone\b|Undetermined\(|\b0x|<limen|\{\w+\}", text)


def test_the_cautions_stand_where_they_apply() -> None:
    analysis = an_analysis()
    text = undrawn(analysis).html
    for key, section in (("h1", "detection"), ("chi_square", "difference"), ("kappa", "agreement")):
        start = text.index(f'<section id="{section}"')
        assert _flat(analysis.caveats[key]) in _text(text[start : text.index("</section>", start)])


def test_the_interpretation_is_a_quotation_and_what_the_data_support_follows() -> None:
    analysis = an_analysis()
    text = undrawn(analysis).html
    quotation = text.index(f"<blockquote><p>{analysis.outcome.quotation}")
    support = text.index("What the data support")
    assert quotation < support < text.index(analysis.outcome.support[0][:30])


def test_both_forms_say_the_same() -> None:
    report = undrawn(an_analysis(Plan(conditions=5)))
    page = _words(_text(report.html))
    markdown = _words(
        re.sub(r"\\(.)", r"\1", re.sub(r"!\[.*?\]\(figures/[\w-]+\.svg\)|<br>|[*#>|]|---?:?", " ", report.markdown))
    )
    missing = [word for word in page if word not in set(markdown)]
    assert set(missing) <= {"To", "the", "report", "Contents"}


@pytest.mark.parametrize("plan", [Plan(), Plan(conditions=5), Plan(table_only=True)])
def test_no_number_in_the_report_that_is_not_in_the_analysis(plan: Plan) -> None:
    analysis = an_analysis(plan)
    report = undrawn(analysis)
    known = set(_known_numbers(analysis))
    for text in (_text(report.html), *(getattr(plot, "alternative", "") for plot in report.plots.values())):
        unknown = {token for token in _numbers(text) if token not in known}
        assert unknown == set()


OWN_NUMBERS = {"95", "90", "50", "100", "7.1", "7.2", "7.3", "256"}
"""Levels of intervals, sections of the protocol, and a half: what the report's own sentences say."""


def _known_numbers(analysis: Analysis) -> Iterator[str]:
    yield from OWN_NUMBERS
    yield from (str(small) for small in range(4))
    for value in _leaves(analysis):
        match value:
            case str():
                yield from _numbers(value)
            case datetime():
                yield from _numbers(f"{value:%Y-%m-%d %H:%M:%S}")
            case bool():
                continue
            case int() | float():
                yield from (str(value), *_written(float(value)))
    if isinstance(analysis.debrief, DebriefSummary):
        for choices, answered in (
            (analysis.debrief.strategy, analysis.debrief.strategy_answered),
            (analysis.debrief.age, analysis.debrief.age_answered),
            (analysis.debrief.use, analysis.debrief.use_answered),
        ):
            yield from (token for one in choices for token in _numbers(notation.percent_of(one.chosen, answered)))


def _written(value: float) -> Iterator[str]:
    for places in range(4):
        yield from _numbers(notation.decimal(value, places))
        yield from _numbers(notation.decimal(100 * value, places))
    if 0 <= value <= 1:
        yield from _numbers(notation.p_value(value))
    yield from _numbers(notation.duration(abs(value)))


def _leaves(value: object) -> Iterator[object]:
    if is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _leaves(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from (key, *_leaves(part))
    elif isinstance(value, tuple):
        yield len(value)
        for part in value:
            yield from _leaves(part)
    else:
        yield value
        if not isinstance(value, str | int | float | datetime | None):
            yield str(value)


def _numbers(text: str) -> list[str]:
    return re.findall(r"\d[\d,]*\.\d+|\.\d+|\d[\d,]*(?<!,)", text)


def _text(page: str) -> str:
    body = re.sub(r"<style>.*?</style>|<title>.*?</title>|<svg.*?</svg>", " ", page, flags=re.DOTALL)
    plain = re.sub(r"<[^>]+>", " ", body)
    for entity, letter in (("&lt;", "<"), ("&gt;", ">"), ("&#39;", "'"), ("&#34;", '"'), ("&amp;", "&")):
        plain = plain.replace(entity, letter)
    return _flat(plain)


def _flat(text: str) -> str:
    return " ".join(text.replace("\N{NO-BREAK SPACE}", " ").split())


def _words(text: str) -> list[str]:
    return re.findall(r"[\w.%−+κα′²–]+", text)


def _escaped(title: str) -> str:
    return re.sub(r"([_\\*])", r"\\\1", title)
