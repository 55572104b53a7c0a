"""Conversations and problems as bytes, between the process that reads and the one that asked."""

from collections.abc import Iterable, Iterator

import msgspec

from limen.core.conversation import Conversation
from limen.core.log_problems import LogProblem
from limen.logs.formats.canonical import ConversationRecord, to_conversation, to_record


class _Problem(msgspec.Struct, tag="problem"):
    file: str
    record: str
    reason: str


class _Found(msgspec.Struct, tag="conversation"):
    record: ConversationRecord


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(list[_Found | _Problem])


def pack(items: Iterable[Conversation | LogProblem]) -> bytes:
    """Give conversations and problems as bytes."""
    return _encoder.encode([_packed(item) for item in items])


def unpack(data: bytes) -> Iterator[Conversation | LogProblem]:
    """Give back what was packed."""
    for item in _decoder.decode(data):
        if isinstance(item, _Problem):
            yield LogProblem(file=item.file, record=item.record, reason=item.reason)
        else:
            yield to_conversation(item.record)


def _packed(item: Conversation | LogProblem) -> _Found | _Problem:
    if isinstance(item, Conversation):
        return _Found(to_record(item))
    return _Problem(item.file, item.record, item.reason)
