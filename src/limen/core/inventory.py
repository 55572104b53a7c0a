"""What logs hold: how many conversations, replies and words, by model, provider and language, with which drift.

An inventory takes in conversations one by one, and two inventories of two parts of a log add up to that of the whole.
Its memory grows with how many different names and reasons there are, not with the logs.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from limen.core.conversation import LANGUAGE, LONGEST_ERROR_WORDS, Conversation, reference_problem, reply_problem
from limen.core.log_problems import LogProblem
from limen.core.observed import FIVE_NUMBERS, ObservedDrift, counted_quantile
from limen.core.pairing import resolve_provider
from limen.core.protocol import Protocol

NOT_RECORDED = "not recorded"


@dataclass(slots=True)
class Share:
    """How much of the logs belongs to one name."""

    conversations: int = 0
    replies: int = 0
    words: int = 0  # of the replies

    def add(self, other: "Share") -> None:
        """Count another share in."""
        self.conversations += other.conversations
        self.replies += other.replies
        self.words += other.words


@dataclass(slots=True)
class RecordedDrift:
    """The drift that logs record by one metric."""

    conversations: int = 0
    observed: ObservedDrift = field(default_factory=ObservedDrift)

    def add(self, other: "RecordedDrift") -> None:
        """Count another in."""
        self.conversations += other.conversations
        self.observed.counts.update(other.observed.counts)


@dataclass(slots=True)
class Inventory:
    """What was counted. Shares are by name; `words_per_reply` counts replies by their length."""

    whole: Share = field(default_factory=Share)
    models: dict[str, Share] = field(default_factory=dict)
    providers: dict[str, Share] = field(default_factory=dict)
    languages: dict[str, Share] = field(default_factory=dict)
    words_per_reply: Counter[int] = field(default_factory=Counter)
    no_replies: Counter[str] = field(default_factory=Counter)  # texts that are no reply of the model, by what they are
    drift: dict[str, RecordedDrift] = field(default_factory=dict)
    problems: Counter[str] = field(default_factory=Counter)
    first_problems: dict[str, LogProblem] = field(default_factory=dict)

    def take_in(self, conversation: Conversation, provider: str) -> None:
        """Count a conversation."""
        lengths, drifts = [], []
        for turn in conversation.reply_turns:
            words = count_words(turn.text)
            problem = reply_problem(turn.text) if words <= LONGEST_ERROR_WORDS else None
            if problem:
                self.no_replies[problem] += 1
                continue
            lengths.append(words)
            if turn.drift is not None:
                drifts.append(turn.drift)
        self.words_per_reply.update(lengths)
        share = Share(1, len(lengths), sum(lengths))
        self.whole.add(share)
        self.models.setdefault(conversation.model or NOT_RECORDED, Share()).add(share)
        self.providers.setdefault(provider, Share()).add(share)
        self.languages.setdefault(conversation.tags.get(LANGUAGE) or NOT_RECORDED, Share()).add(share)
        if conversation.drift:
            recorded = self.drift.setdefault(conversation.drift.metric, RecordedDrift())
            recorded.conversations += 1
            if reference_problem(conversation) is None:
                for drift in drifts:
                    recorded.observed.add(drift)

    def reply_lengths(self) -> dict[str, int]:
        """Give the five numbers that tell how many words replies have; empty when there are none."""
        if not self.words_per_reply:
            return {}
        return {name: counted_quantile(self.words_per_reply, q) for name, q in FIVE_NUMBERS.items()}

    def take_note(self, problem: LogProblem) -> None:
        """Count a problem."""
        self.problems[problem.reason] += 1
        self.first_problems.setdefault(problem.reason, problem)

    def add(self, other: "Inventory") -> None:
        """Count what another part of the logs holds, which comes after this one."""
        self.whole.add(other.whole)
        for mine, others in (
            (self.models, other.models),
            (self.providers, other.providers),
            (self.languages, other.languages),
        ):
            for name, share in others.items():
                mine.setdefault(name, Share()).add(share)
        for metric, recorded in other.drift.items():
            self.drift.setdefault(metric, RecordedDrift()).add(recorded)
        self.words_per_reply.update(other.words_per_reply)
        self.no_replies.update(other.no_replies)
        self.problems.update(other.problems)
        self.first_problems = {**other.first_problems, **self.first_problems}


def take_stock(items: Iterable[Conversation | LogProblem], protocol: Protocol) -> Inventory:
    """Count conversations and problems; who the provider is, the protocol's table of names tells."""
    inventory = Inventory()
    for item in items:
        if isinstance(item, Conversation):
            inventory.take_in(item, resolve_provider(item, protocol, {}))
        else:
            inventory.take_note(item)
    return inventory


def count_words(text: str) -> int:
    """Count the whitespace-separated tokens, as `len(text.split())` does but many times faster for plain text.

    >>> count_words("  one two\\tthree ")
    3
    """
    if not text.isascii():
        return len(text.split())
    marked = text.encode().translate(_MARKS)
    return marked.count(b" x") + marked.startswith(b"x")


_MARKS = bytes(ord(" " if chr(code).isspace() else "x") for code in range(256))
