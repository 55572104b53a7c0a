"""What else differs between the conditions: beside the results, since raters may have gone by it."""

from collections.abc import Iterator

from limen.core import notation
from limen.core.analysis.estimates import Estimate, Undetermined
from limen.core.cautions import before_sentence, machine_sentence, tells_apart
from limen.core.confounds import Comparison, ConditionSurface, ConfoundAudit, FeatureLevel
from limen.core.features import MEANING
from limen.core.findings import Analysis
from limen.core.pair import Unmatched
from limen.report.document import Block, Caution, Column, Paragraph, Row, Section, Subheading, Table
from limen.report.phrasing import listed


def confounds(analysis: Analysis) -> Section:
    """Say how the pairs of the conditions differ besides drift, and how well the surface alone tells them apart."""
    return Section(key="confounds", title="What else differs", blocks=tuple(_blocks(analysis.confounds)))


def _blocks(audit: ConfoundAudit | Undetermined) -> Iterator[Block]:
    if isinstance(audit, Undetermined):
        yield Paragraph(text=f"How the texts of the conditions differ besides drift is {notation.undetermined(audit)}.")
        return
    yield Paragraph(
        text="Pairs were chosen by their drift. Whatever else differs between conditions is another way to tell them "
        "apart, and raters may have used it."
    )
    if audit.matched:
        names = listed([feature.replace("_", " ") for feature in audit.matched])
        yield Paragraph(text=f"The selection kept the conditions alike in {names}, as far as the logs allowed.")
    levels = {one.condition: one for one in audit.conditions}
    for comparison in audit.comparisons:
        if len(audit.comparisons) > 1:
            yield Subheading(text=f"{comparison.other} against {comparison.reference}")
        yield from _comparison(comparison, levels, audit)


def _comparison(comparison: Comparison, levels: dict[str, ConditionSurface], audit: ConfoundAudit) -> Iterator[Block]:
    said = "; ".join(filter(None, (machine_sentence(comparison), before_sentence(comparison, audit))))
    sentence = f"{said[0].upper()}{said[1:]}."
    yield Caution(text=sentence) if tells_apart(comparison) else Paragraph(text=sentence)
    reference, other = levels[comparison.reference], levels[comparison.other]
    if not reference.pairs or not other.pairs:
        return
    found = [one for one in audit.before if (one.reference, one.other) == (comparison.reference, comparison.other)]
    yield _features(comparison, reference, other, found[0] if found else None)
    yield _kinds(comparison, reference, other)
    if comparison.topic_words:
        words = [f"{w.word} ({w.reference_pairs} and {w.other_pairs})" for w in comparison.topic_words]
        yield Paragraph(
            label="Topic words",
            text=f"Words of contexts and Responses A, with the number of {reference.condition} and {other.condition} "
            f"pairs that have them: {listed(words)}.",
        )


def _features(
    comparison: Comparison, reference: ConditionSurface, other: ConditionSurface, before: Unmatched | None
) -> Table:
    def row(k: int) -> Row:
        difference = comparison.features[k]
        name = difference.feature.value
        cells = [(_level(of.features[name]),) for of in (reference, other)]
        cells += [(_apart(difference.in_b),), (_apart(difference.change),)]
        if before:
            earlier = before.in_b.get(name)
            cells.append(("–" if earlier is None else notation.decimal(earlier),))
        return Row(head=(MEANING[difference.feature],), cells=tuple(cells))

    titles = [reference.condition, other.condition, "SD apart in B", "SD apart in the change"]
    titles += ["in B, unmatched"] if before else []
    return Table(
        caption="Means of Response A → Response B; how far B, and the change from A to B, are apart in standard "
        "deviations (Hedges' g, 95 % interval)",
        columns=(Column(title="besides drift"), *(Column(title=title, numeric=True) for title in titles)),
        rows=tuple(row(k) for k in range(len(comparison.features))),
    )


def _kinds(comparison: Comparison, reference: ConditionSurface, other: ConditionSurface) -> Table:
    def mixed(of: ConditionSurface, kind: str) -> tuple[str, ...]:
        counts = list(of.kinds[kind].items())
        rest = sum(count for _, count in counts[_MOST_KINDS:])
        return (*(f"{name} {count}" for name, count in counts[:_MOST_KINDS]), *([f"others {rest}"] if rest else []))

    return Table(
        caption="Where the pairs come from: the share that would have to change for the conditions to be mixed alike, "
        "and how often a random regrouping is as different",
        columns=(
            Column(title="source"),
            Column(title=reference.condition),
            Column(title=other.condition),
            Column(title="share", numeric=True),
            Column(title="p", numeric=True),
        ),
        rows=tuple(
            Row(
                head=(row.kind.replace("_", " "),),
                cells=(
                    mixed(reference, row.kind),
                    mixed(other, row.kind),
                    ("–" if isinstance(row.mix, Undetermined) else notation.percent(row.mix.distance),),
                    ("–" if isinstance(row.mix, Undetermined) else notation.p_value(row.mix.p),),
                ),
            )
            for row in comparison.kinds
        ),
    )


_MOST_KINDS = 8


def _level(level: FeatureLevel) -> str:
    if level.a is None:
        return notation.decimal(level.b.mean)
    return f"{notation.decimal(level.a.mean, 1)} → {notation.decimal(level.b.mean, 1)}"


def _apart(found: Estimate | Undetermined) -> str:
    return "–" if isinstance(found, Undetermined) else notation.estimate(found)
