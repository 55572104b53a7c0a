"""stimuli/extreme_pairs.md: every pair as raters will see it, with what was changed, for a person to review."""

import difflib
from collections.abc import Iterator

from limen.core.pair import Pair, ShownReply
from limen.core.stimuli import CheckStimulus, StimulusSet


def review_text(stimuli: StimulusSet) -> str:
    """Give the review file. It names conditions: it is for the researcher, never for a rater."""
    return "\n".join(_lines(stimuli)) + "\n"


def _lines(stimuli: StimulusSet) -> Iterator[str]:
    yield "# Pairs for review"
    yield ""
    yield "For the researcher only: this file names conditions. Read every pair as a rater will, and look at"
    yield "what was changed (−: as logged, +: as shown)."
    if stimuli.standing:
        yield ""
        yield f"**{stimuli.metric}: {stimuli.standing}.**"
    yield ""
    yield "| pair | condition | provider | drift A | drift B | words A / B | flags |"
    yield "|---|---|---|---|---|---|---|"
    for s in stimuli.stimuli:
        pair = s.pair
        yield (
            f"| [{s.pair_id}](#{s.pair_id.lower()}) | {pair.condition} | {pair.provider} | {pair.a.drift_score:.3f} "
            f"| {pair.b.drift_score:.3f} | {pair.a.words} / {pair.b.words} | {', '.join(pair.flags)} |"
        )
    for shortfall in stimuli.shortfalls:
        yield ""
        yield f"Missing: {shortfall.condition}, {shortfall.provider}: {shortfall.found} of {shortfall.wanted}."
    for s in stimuli.stimuli:
        yield from _pair_lines(s.pair_id, s.pair)
    for check in stimuli.checks:
        yield from _check_lines(check)


def _pair_lines(pair_id: str, pair: Pair) -> Iterator[str]:
    yield ""
    yield f"## {pair_id}"
    yield ""
    distances = ", ".join(f"{name} {value:.3f}" for name, value in pair.drift_a_to_b.items())
    yield f"- {pair.condition}, {pair.provider}, model {_code(pair.model or 'unknown')}"
    yield f"- conversation {_code(pair.conversation_id)}, replies {pair.a.number} and {pair.b.number}"
    yield f"- tags: {_code(', '.join(f'{k}={v}' for k, v in pair.tags.items()) or 'none')}"
    yield (
        f"- drift ({pair.drift_metric}): A {pair.a.drift_score:.3f}, B {pair.b.drift_score:.3f}; "
        f"of the full texts: A {pair.a.drift_full_text:.3f}, B {pair.b.drift_full_text:.3f}"
    )
    yield f"- from A to B: {distances}; topic shift {pair.topic_shift:.3f}"
    if pair.flags:
        yield f"- flags: {', '.join(pair.flags)}"
    yield ""
    yield f"CONTEXT: {_code(pair.context)}"
    for name, reply in (("RESPONSE A", pair.a), ("RESPONSE B", pair.b)):
        yield ""
        yield f"{name} ({reply.words} words)"
        yield from _block("text", reply.text)
        yield from _changes(reply)


def _changes(reply: ShownReply) -> Iterator[str]:
    before, after = reply.original.strip().split("\n"), reply.text.split("\n")
    diff = [
        line
        for line in difflib.unified_diff(before, after, lineterm="", n=0)
        if not line.startswith(("---", "+++", "@@"))
    ]
    if not diff:
        return
    names = ", ".join(f"{s.kind}: {s.found[:60]}" for s in reply.scrubs)
    what = [_code(names)] if names else []
    what += ["cut at the end of a sentence"] if reply.excerpted else []
    yield ""
    yield f"Changed ({'; '.join(what) or 'markup or blanks only'}):"
    yield from _block("diff", "\n".join(diff))


def _check_lines(check: CheckStimulus) -> Iterator[str]:
    yield ""
    yield f"## {check.check_id}"
    yield ""
    yield f"- {check.kind}, trial {check.position}, expected {check.expected}"
    if check.source:
        yield f"- text lent by conversation {_code(check.source)}"
    yield ""
    yield f"CONTEXT: {_code(check.context)}"
    for name, text in (("RESPONSE A", check.response_a), ("RESPONSE B", check.response_b)):
        yield ""
        yield name
        yield from _block("text", text)


def _block(kind: str, text: str) -> Iterator[str]:
    """Fence a text off, so that nothing in it is read as markdown or HTML."""
    fence = "~~~"
    while fence in text:
        fence += "~"
    yield ""
    yield f"{fence}{kind}"
    yield text
    yield fence


def _code(text: str) -> str:
    """Give text of others as inline code, on one line."""
    plain = " ".join(text.split())
    ticks = "`"
    while ticks in plain:
        ticks += "`"
    gap = " " if "`" in plain else ""
    return f"{ticks}{gap}{plain}{gap}{ticks}" if plain else "``"
