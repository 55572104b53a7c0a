"""Logs as a stream of conversations: from files, folders, globs and standard input, in any known format."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Generic, TypeVar

from limen.core.conversation import Conversation
from limen.core.log_problems import LogProblem
from limen.errors import LogError
from limen.logs.chunks import Chunk, Plan, read_chunk
from limen.logs.files import LogFile, find_files
from limen.logs.format import known_formats
from limen.logs.hands import Hands, Promised
from limen.logs.records import NO_LOG
from limen.logs.transport import pack, unpack
from limen.workflow.ports import SourceFile

T = TypeVar("T")
Item = Conversation | LogProblem
Work = Callable[[Iterator[Item]], T]
"""Something that is done with the conversations and problems of a piece of a log. A function of a module, so that it
can be handed to another process."""

_FEW = 32


def _nobody(_: int) -> None:
    pass


@dataclass(slots=True, kw_only=True)
class LogFiles:
    """The logs that a command names. Can be read more than once; `sources` fills as they are read.

    `hands` read for it, if there are any; what comes out is the same. `digests` of the files are in `sources` unless
    nobody wants them. What came from standard input is kept in a temporary file until `close`.
    """

    names: Sequence[str]
    on_bytes: Callable[[int], None] = _nobody
    hands: Hands | None = None
    digests: bool = True
    sources: list[SourceFile] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    _found: list[LogFile] | None = None

    def total_bytes(self) -> int:
        """Tell how much there is to read."""
        return sum(log.path.stat().st_size for log in self._files())

    def close(self) -> None:
        """Delete what was kept of standard input."""
        for log in self._found or ():
            if log.temporary:
                log.path.unlink(missing_ok=True)

    def read(self) -> Iterator[Item]:
        """Give every conversation and every problem, file by file in the order of their names."""
        if self.hands is None:
            for items in self.each(_as_they_are, at_once=_FEW):
                yield from items
        else:
            for packed in self.each(pack):
                yield from unpack(packed)

    def each(self, work: Work[T], at_once: int = 1024) -> Iterator[T]:
        """Have `work` done with every piece of the logs and give what comes of it, in the order of the logs.

        Where there are no hands a piece holds no more than `at_once` conversations and problems.
        """
        self.sources.clear()
        for piece in _in_order(self._pieces(work, at_once), self.hands.ahead if self.hands else 1):
            piece.count.add(piece.worked)
            self.on_bytes(piece.size)
            if piece.worked.result is not None:
                yield piece.worked.result
            if piece.ends:
                self.sources.append(piece.count.source())

    def _files(self) -> list[LogFile]:
        if self._found is None:
            self._found = find_files(self.names, self.skipped)
        return self._found

    def _pieces(self, work: Work[T], at_once: int) -> Iterator["_Piece[T] | _Handed[T]"]:
        """Give what is done here as it is done, and what is handed on as a promise."""
        for log in self._files():
            plan = Plan(log, self.digests)
            count = _Count(plan)
            for chunk in plan:
                if self.hands is not None and chunk.can_be_handed_on:
                    yield _Handed(count, chunk.size, self.hands.hand(work_on, work, chunk))
                else:
                    yield from self._done_here(work, chunk, count, at_once)
            yield _Piece(count, Worked(), ends=True)

    def _done_here(self, work: Work[T], chunk: Chunk, count: "_Count", at_once: int) -> "Iterator[_Piece[T]]":
        told = 0

        def on_bytes(more: int) -> None:
            nonlocal told
            told += more
            self.on_bytes(more)

        items = read_chunk(chunk, on_bytes)
        while some := list(islice(items, at_once)):
            yield _Piece(count, _counted(work, some))
        yield _Piece(count, Worked(), size=max(0, chunk.size - told))


@dataclass(frozen=True, slots=True, kw_only=True)
class Worked(Generic[T]):
    """What came of a piece of a log, and how much was in it."""

    result: T | None = None
    conversations: int = 0
    problems: int = 0
    first_reason: str = ""


def work_on(work: Work[T], chunk: Chunk) -> Worked[T]:
    """Read a chunk and work on it: what hands are handed."""
    return _counted(work, read_chunk(chunk))


def _counted(work: Work[T], items: Iterable[Item]) -> Worked[T]:
    conversations, problems, first_reason = 0, 0, ""

    def passing() -> Iterator[Item]:
        nonlocal conversations, problems, first_reason
        for item in items:
            if isinstance(item, Conversation):
                conversations += 1
            else:
                problems += 1
                first_reason = first_reason or item.reason
            yield item

    result = work(passing())
    return Worked(result=result, conversations=conversations, problems=problems, first_reason=first_reason)


def _as_they_are(items: Iterator[Item]) -> list[Item]:
    return list(items)


@dataclass(slots=True)
class _Count:
    """How much a file has given so far."""

    plan: Plan
    conversations: int = 0
    problems: int = 0
    first_reason: str = ""

    def add(self, worked: Worked[T]) -> None:
        self.conversations += worked.conversations
        self.problems += worked.problems
        self.first_reason = self.first_reason or worked.first_reason

    def source(self) -> SourceFile:
        """Say what the file was. Raises LogError if nothing could be read from it."""
        name = self.plan.log.name
        if self.conversations == 0:
            if self.first_reason == NO_LOG:
                raise LogError(f"{name}: no conversation could be read: it is {NO_LOG}; leave it out")
            formats = ", ".join(known.name for known in known_formats())
            raise LogError(
                f"{name}: no conversation could be read ({self.first_reason or 'it is empty'}); "
                f"expected one of: {formats}; mend the file or leave it out"
            )
        return SourceFile(name=name, sha256=self.plan.digest, conversations=self.conversations, problems=self.problems)


@dataclass(frozen=True, slots=True)
class _Piece(Generic[T]):
    count: _Count
    worked: Worked[T]
    size: int = 0
    ends: bool = False


@dataclass(frozen=True, slots=True)
class _Handed(Generic[T]):
    count: _Count
    size: int
    promised: Promised[Worked[T]]

    def wait(self) -> _Piece[T]:
        return _Piece(self.count, self.promised.result(), self.size)


def _in_order(pieces: Iterator[_Piece[T] | _Handed[T]], ahead: int) -> Iterator[_Piece[T]]:
    """Give the pieces as they come, with no more than `ahead` of them under way."""
    waiting: deque[_Piece[T] | _Handed[T]] = deque()
    for piece in pieces:
        waiting.append(piece)
        while len(waiting) >= ahead:
            yield _done(waiting.popleft())
    while waiting:
        yield _done(waiting.popleft())


def _done(piece: _Piece[T] | _Handed[T]) -> _Piece[T]:
    return piece.wait() if isinstance(piece, _Handed) else piece
