"""What the report says about the difference between conditions besides drift."""

from dataclasses import replace

from builders import a_pair, a_shown_reply, prose, s3
from limen.core.analysis.estimates import Undetermined
from limen.core.confounds import ConfoundAudit, audit_confounds, unmatched
from limen.core.features import MEANING, Feature
from limen.core.pair import Pair
from limen.report.contents import compose
from limen.report.document import Caution, Paragraph, Section, Table
from limen.report.rendering import render_report
from simulated_studies import an_analysis


def _pairs(longer: int, n: int = 6) -> list[Pair]:
    return [
        a_pair(
            condition,
            conversation=f"{condition}{k}",
            a=a_shown_reply(1, f"{condition} {prose(220, f'{condition}{k}a')}"),
            b=a_shown_reply(4, prose(220 + k + extra, f"{condition}{k}b")),
        )
        for condition, extra in (("BASELINE", 0), ("CATASTROPHIC", longer))
        for k in range(n)
    ]


def _section(found: ConfoundAudit | Undetermined) -> Section:
    document = compose(replace(an_analysis(), confounds=found))
    return next(section for section in document.sections if section.key == "confounds")


def test_it_stands_beside_the_difference_of_the_answers() -> None:
    keys = [section.key for section in compose(an_analysis()).sections]
    assert keys[keys.index("difference") + 1] == "confounds"


def test_what_gives_the_condition_away_is_a_caution_with_a_table_beside_it() -> None:
    section = _section(audit_confounds(_pairs(60), s3()))
    (caution,) = [block for block in section.blocks if isinstance(block, Caution)]
    assert caution.text.startswith("A machine that reads only length, markdown and punctuation tells CATASTROPHIC from")
    assert caution.text.endswith("raters may be doing the same.")
    features, kinds = (block for block in section.blocks if isinstance(block, Table))
    assert [row.head for row in features.rows] == [(MEANING[feature],) for feature in Feature]
    assert [row.head for row in kinds.rows] == [("model",), ("provider",), ("source run",)]
    words = [block for block in section.blocks if isinstance(block, Paragraph) and block.label == "Topic words"]
    assert "catastrophic (0 and 6)" in words[0].text


def test_what_matching_did_stands_there_before_and_after() -> None:
    matched = replace(s3(), selection=replace(s3().selection, match=(Feature.WORDS, Feature.TURN_GAP)))
    section = _section(audit_confounds(_pairs(0), matched, unmatched(_pairs(60), s3())))
    said = " ".join(block.text for block in section.blocks if isinstance(block, Paragraph))
    assert "kept the conditions alike in words and turn gap" in said
    assert "better than chance" in said
    assert "without matching: AUC" in said
    assert not any(isinstance(block, Caution) for block in section.blocks)
    features = next(block for block in section.blocks if isinstance(block, Table))
    assert features.columns[-1].title == "in B, unmatched"


def test_without_texts_or_pairs_it_says_so() -> None:
    (block,) = _section(Undetermined(reason="a table of answers does not hold the texts")).blocks
    assert isinstance(block, Paragraph)
    assert "undetermined (a table of answers does not hold the texts)" in block.text
    empty = _section(audit_confounds([], s3()))
    assert not any(isinstance(block, Table) for block in empty.blocks)
    assert "undetermined: 0 pairs in a condition" in " ".join(
        block.text for block in empty.blocks if isinstance(block, Paragraph)
    )


def test_words_of_others_are_escaped_in_the_page() -> None:
    pairs = [replace(pair, model="<script>x</script>") for pair in _pairs(0)]
    analysis = replace(an_analysis(), confounds=audit_confounds(pairs, s3()))
    html = render_report(analysis).html
    assert "<script>x" not in html
    assert "&lt;script&gt;x" in html
