from dataclasses import replace

from builders import a_pair, a_shown_reply, prose
from limen.core.scrubbing import scrub
from limen.core.stimuli import Stimulus, StimulusSet
from limen.study.review_file import review_text


def _set(original: str) -> StimulusSet:
    scrubbed = scrub(original)
    reply = replace(a_shown_reply(text=scrubbed.text), original=original, scrubs=scrubbed.scrubs)
    pair = replace(a_pair(a=reply), context="A `context` with <b>marks</b>.")
    return StimulusSet(
        stimuli=(Stimulus(pair_id="BASE_01", pair=pair),),
        checks=(),
        shortfalls=(),
        spares_missing=0,
        funnel=(),
        strict_count=0,
        selection_digest="",
        metric="keyword-rms/s7",
        bands={},
        standing=None,
    )


def test_what_was_changed_is_shown_as_a_diff() -> None:
    text = review_text(_set("I am **Claude**.\nThe rest stays.\n" + prose(20)))
    assert "-I am **Claude**." in text
    assert "+I am [AI]." in text
    assert "-The rest stays." not in text
    assert "model: Claude" in text


def test_a_text_that_was_not_changed_has_no_diff() -> None:
    assert "Changed" not in review_text(_set(prose(30)))


def test_a_fence_in_a_text_does_not_end_its_block() -> None:
    text = review_text(_set("~~~\n<script>alert(1)</script>\n~~~\n" + prose(20)))
    assert "\n~~~~diff\n" in text  # longer than the fence in the original that it shows
    assert "`` A `context` with <b>marks</b>. ``" in text
