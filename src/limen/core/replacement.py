"""The next best pair for a slot, everything else staying as it is: same condition, same provider, same aims."""

from collections.abc import Sequence

from limen.core.matching import excess, matched_columns
from limen.core.pair import Pair, cell_of
from limen.core.pairing import shared_sequences
from limen.core.pool import merit
from limen.core.protocol import Protocol
from limen.core.stimuli import Stimulus, StimulusSet

SPARES_OF_A_CELL = 8
"""How many conversations of each condition and provider are kept for a slot that has to be filled anew."""


def keep_spares(candidates: Sequence[Pair], protocol: Protocol) -> tuple[Pair, ...]:
    """Give the best pairs of the best conversations of each cell, for slots to be filled anew from."""
    kept: dict[tuple[str, str], dict[str, list[Pair]]] = {}
    pairs_each = 3 if protocol.selection.match else 1
    for pair in sorted(candidates, key=lambda pair: (merit(pair, protocol), pair.conversation_id)):
        cell = cell_of(pair.provider, protocol.condition(pair.condition), protocol)
        if cell is None:
            continue
        conversations = kept.setdefault((pair.condition, cell), {})
        if pair.conversation_id in conversations or len(conversations) < SPARES_OF_A_CELL:
            conversations.setdefault(pair.conversation_id, []).append(pair)
    return tuple(pair for cell in kept.values() for pairs in cell.values() for pair in pairs[:pairs_each])


def rivals_for(
    stimulus: Stimulus, stimuli: StimulusSet, candidates: Sequence[Pair], protocol: Protocol, rejected: frozenset[str]
) -> tuple[Pair, ...]:
    """Give the candidates that could stand in a slot, the best first.

    None of a conversation that is used or rejected, none that would show a text again. The order is that of the
    selection: what `match` names, then the drift of A, the topic shift in the baseline, the lot.
    """
    others = [s.pair for s in stimuli.stimuli if s.pair_id != stimulus.pair_id]
    used = {pair.conversation_id for pair in others} | {c.source for c in stimuli.checks} | rejected
    used.add(stimulus.pair.conversation_id)
    cell = _cell(stimulus.pair, protocol)
    texts = [text for pair in others for text in (pair.a.text, pair.b.text)]
    texts += [text for check in stimuli.checks for text in (check.response_a, check.response_b)]
    fit = [
        pair
        for pair in candidates
        if pair.condition == stimulus.pair.condition
        and _cell(pair, protocol) == cell
        and pair.conversation_id not in used
        and not any(
            shared_sequences(text, own) >= protocol.selection.near_duplicate
            for own in (pair.a.text, pair.b.text)
            for text in texts
        )
    ]
    columns = matched_columns([*others, *fit], protocol)
    places = list(range(len(others)))

    def rank(k: int) -> tuple[float, tuple[float, float, float]]:
        pair = fit[k]
        return round(excess([*others, pair], columns, [*places, len(others) + k]), 6), merit(pair, protocol)

    return tuple(fit[k] for k in sorted(range(len(fit)), key=rank))


def _cell(pair: Pair, protocol: Protocol) -> str | None:
    return cell_of(pair.provider, protocol.condition(pair.condition), protocol)
