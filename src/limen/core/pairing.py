"""From a conversation to candidate pairs: an early reply A and a later reply B that a condition allows."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from limen.core.conversation import Conversation, Reply, reference_problem, reference_texts, reply_problem
from limen.core.drift import Metric
from limen.core.excerpt import count_words, excerpt
from limen.core.flags import CONTEXT_PROPOSED, DRIFT_OF_FULL_TEXT, METRIC_UNKNOWN, SELF_REFERENCE
from limen.core.funnel import DropReason, Tally
from limen.core.pair import UNKNOWN_PROVIDER, Pair, ShownReply, cell_of
from limen.core.protocol import UNKNOWN_METRIC, Condition, ConditionRole, DriftRange, Protocol
from limen.core.scrubbing import scrub
from limen.core.topics import content_words, propose_context, topic_shift

T = TypeVar("T")


def find_pairs(
    conversation: Conversation, provider: str, protocol: Protocol, ruler: Metric | None, tally: Tally
) -> Iterator[Pair]:
    """Give every pair that the protocol's conditions allow, and count in `tally` why the others fell out.

    `ruler` measures the text shown; None where the drift is recorded only. `provider` is the one that the
    quota knows, or "unknown".
    """
    workbench = _Workbench(conversation=conversation, protocol=protocol, ruler=ruler)
    for condition in protocol.conditions:
        early = [reply for reply in conversation.replies if reply.number in condition.a_replies]
        later = [reply for reply in conversation.replies if reply.number in condition.b_replies]
        for b in later:
            for a in early:
                if a.number >= b.number:
                    continue
                tally.seen(condition.name, provider)
                reason = workbench.why_not(a, b, condition)
                if reason is None:
                    pair = workbench.pair(a, b, condition, provider)
                    if cell_of(provider, condition, protocol) is None:
                        reason = DropReason.NO_PROVIDER
                        # it fills no slot, but a baseline text can still be lent to an attention check
                        if condition.role is ConditionRole.BASELINE:
                            yield pair
                    elif workbench.sequences_in_common(a, b) >= protocol.selection.near_duplicate:
                        reason = DropReason.NEAR_DUPLICATE
                    else:
                        yield pair
                if reason is not None:
                    tally.drop(condition.name, provider, reason)


def resolve_provider(conversation: Conversation, protocol: Protocol, by_id: Mapping[str, str]) -> str:
    """Tell the provider: from the record, else from the model's name, else from `by_id`, else "unknown".

    A record's provider may hold a model's name or a host; a provider that no quota names is "other" where
    there is a quota for others.
    """
    quotas = [protocol.quota_of(condition) for condition in protocol.conditions]
    known = {name for quota in quotas for name in quota} | set(protocol.providers.names.values())
    recorded = (conversation.provider or "").strip().lower()
    if recorded in known:
        return recorded
    short_id = conversation.id.partition(":")[2]
    found = (
        _by_model_name(recorded, protocol.providers.names)
        or _by_model_name((conversation.model or "").lower(), protocol.providers.names)
        or by_id.get(conversation.id)
        or by_id.get(short_id)
    )
    if found:
        return found
    named_otherwise = recorded not in ("", UNKNOWN_PROVIDER) and "other" in known
    return "other" if named_otherwise else UNKNOWN_PROVIDER


def shared_sequences(one: str, other: str) -> float:
    """Give the share of the shorter text's 6-word sequences that the other text has too."""
    return _share(word_sequences(one), word_sequences(other))


def word_sequences(text: str, length: int = 6) -> frozenset[tuple[str, ...]]:
    """Give all runs of `length` words, case ignored; a shorter text is one run."""
    words = text.lower().split()
    return frozenset(tuple(words[k : k + length]) for k in range(max(1, len(words) - length + 1)))


@dataclass(slots=True, kw_only=True)
class _Workbench:
    """What is worked out once for a reply, however many pairs and conditions ask for it."""

    conversation: Conversation
    protocol: Protocol
    ruler: Metric | None
    _shown: dict[int, ShownReply | DropReason] = field(default_factory=dict)
    _sequences: dict[int, frozenset[tuple[str, ...]]] = field(default_factory=dict)
    _content: dict[int, Counter[str]] = field(default_factory=dict)
    _reference: str | None = None
    _void: bool | None = None

    def why_not(self, a: Reply, b: Reply, condition: Condition) -> DropReason | None:
        """Give the first step that the candidate falls at; None when it passes all of them."""
        found = [self._reply_reason(a, self._a_band(condition)), self._reply_reason(b, condition.drift)]
        reasons = [reason for reason in found if reason is not None]
        return min(reasons, key=list(DropReason).index) if reasons else None

    def sequences_in_common(self, a: Reply, b: Reply) -> float:
        """Give `shared_sequences` of what is shown of two replies that passed."""
        return _share(*(self._of(reply, self._sequences, word_sequences) for reply in (a, b)))

    def pair(self, a: Reply, b: Reply, condition: Condition, provider: str) -> Pair:
        """Put a candidate that passed into its pair."""
        shown_a, shown_b = self._passed(a), self._passed(b)
        conversation = self.conversation
        metric = conversation.drift.metric if conversation.drift else UNKNOWN_METRIC
        flags = []
        if SELF_REFERENCE in a.turn.flags or SELF_REFERENCE in b.turn.flags:
            flags.append(SELF_REFERENCE)
        if self.ruler is None and (_is_changed(shown_a) or _is_changed(shown_b)):
            flags.append(DRIFT_OF_FULL_TEXT)
        if metric == UNKNOWN_METRIC:
            flags.append(METRIC_UNKNOWN)
        context = conversation.topic
        if context is None:
            context = propose_context(conversation.first_user_text, shown_a.text)
            flags.append(CONTEXT_PROPOSED)
        return Pair(
            condition=condition.name,
            provider=provider,
            conversation_id=conversation.id,
            model=conversation.model,
            tags=conversation.tags,
            context=context,
            drift_metric=metric,
            a=shown_a,
            b=shown_b,
            topic_shift=topic_shift(*(self._of(reply, self._content, content_words) for reply in (a, b))),
            flags=tuple(flags),
        )

    def _passed(self, reply: Reply) -> ShownReply:
        shown = self._shown[reply.number]
        assert isinstance(shown, ShownReply)  # noqa: S101 - why_not has looked
        return shown

    def _of(self, reply: Reply, known: dict[int, T], work_out: Callable[[str], T]) -> T:
        if reply.number not in known:
            known[reply.number] = work_out(self._passed(reply).text)
        return known[reply.number]

    def _a_band(self, condition: Condition) -> DriftRange | None:
        if condition.a_drift is None and self.protocol.selection.strict:
            return self.protocol.with_role(ConditionRole.BASELINE)[0].drift
        return condition.a_drift

    def _reply_reason(self, reply: Reply, band: DriftRange | None) -> DropReason | None:
        problem = reply_problem(reply.turn.text)
        if problem is not None:
            return DropReason(problem)
        if self._reference_is_void():
            return DropReason.REFERENCE_INVALID
        drift = reply.turn.drift
        own = SELF_REFERENCE in reply.turn.flags and not self.protocol.selection.allow_self_reference
        if drift is None or own:
            return DropReason.NO_DRIFT
        if band is not None and drift not in band:
            return DropReason.OUT_OF_BAND
        shown = self._show(reply, drift)
        if isinstance(shown, DropReason):
            return shown
        return DropReason.EXCERPT_LEFT_BAND if band is not None and shown.drift_score not in band else None

    def _show(self, reply: Reply, drift: float) -> ShownReply | DropReason:
        if reply.number not in self._shown:
            self._shown[reply.number] = self._make_shown(reply, drift)
        return self._shown[reply.number]

    def _make_shown(self, reply: Reply, drift: float) -> ShownReply | DropReason:
        shortest = self.protocol.words.minimum
        if "|" not in reply.turn.text and count_words(reply.turn.text) < shortest:
            return DropReason.TOO_SHORT  # scrubbing adds no words, but where a table is set as lines
        scrubbed = scrub(reply.turn.text)
        if count_words(scrubbed.text) < shortest:
            return DropReason.TOO_SHORT
        text = excerpt(scrubbed.text, self.protocol.words)
        if text is None:
            return DropReason.NO_EXCERPT
        if self._reference is None:
            self._reference = " ".join(reference_texts(self.conversation))
        score = drift if self.ruler is None else self.ruler.distances([text], [self._reference])[0]
        return ShownReply(
            number=reply.number,
            text=text,
            original=reply.turn.text,
            scrubs=scrubbed.scrubs,
            excerpted=text != scrubbed.text,
            drift_score=score,
            drift_full_text=drift,
        )

    def _reference_is_void(self) -> bool:
        if self._void is None:
            self._void = reference_problem(self.conversation) is not None
        return self._void


def _is_changed(shown: ShownReply) -> bool:
    """Tell whether other words are shown than the drift was recorded for, by an excerpt or by scrubbing."""
    return shown.text.split() != shown.original.split()


def _share(first: frozenset[tuple[str, ...]], second: frozenset[tuple[str, ...]]) -> float:
    return len(first & second) / min(len(first), len(second))


def _by_model_name(name: str, table: Mapping[str, str]) -> str | None:
    """Find the longest entry of the table that begins a part of the name and is followed by no letter."""
    for entry in sorted(table, key=lambda e: (-len(e), e)):
        start = name.find(entry)
        while start >= 0:
            before, after = name[start - 1 : start], name[start + len(entry) : start + len(entry) + 1]
            if not (before and before.isalnum()) and not after.isalpha():
                return table[entry]
            start = name.find(entry, start + 1)
    return None
