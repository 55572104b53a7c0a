"""Participants who do not give up: what is not answered is sent again, and everything acknowledged is written down."""

import asyncio
import json
import re
from dataclasses import dataclass, field
from typing import Any

from bench.client import Answer, Line, connect, json_request, request_bytes

from limen.core.sessions import Mode, Part
from limen.core.tokens import token_digest
from limen.workflow.ports import Reading
from studies import QUALIFIES, an_answer, an_answer_for

_TAKEN = (200, 201)
_LATER = (429, 500, 502, 503, 504)


@dataclass
class Crowd:
    """People who go through sessions one after another until they are asked to stop; then each finishes."""

    port: int
    answers: dict[tuple[str, int], str] = field(default_factory=dict)
    finished: list[str] = field(default_factory=list)
    begun: int = 0
    sent_again: int = 0
    stop: bool = False
    _requests: int = 0
    _consent: str = ""

    async def come(self, people: int) -> None:
        """Let so many take part."""
        lines = [Reconnecting(self) for _ in range(people)]
        try:
            await asyncio.gather(*(self._person(line) for line in lines))
        finally:
            for line in lines:
                line.hang_up()
            await asyncio.sleep(0.01)  # so that the lines are closed before the loop is

    async def _person(self, line: "Reconnecting") -> None:
        if not self._consent:
            page = (await line.ask("GET", "/")).body.decode()
            found = re.search(r'"consent_version":"(\w+)"', page)
            assert found is not None
            self._consent = found[1]
        while not self.stop:
            await self._session(line)

    async def _session(self, line: "Reconnecting") -> None:
        self._requests += 1
        request = f"request-{self._requests:014d}"
        application = {"consent_version": self._consent, "screening": QUALIFIES, "tab": "tab-1", "request": request}
        created = await line.ask("POST", "/api/sessions", application)
        assert created.status == 201, created.body
        token = json.loads(created.body)["token"]
        self.begun += 1
        for n in (1, 2):
            await line.store(f"/api/sessions/{token}/practice/{n}", an_answer())
        for n in range(1, 24):
            response = an_answer_for(token, n)
            await line.store(f"/api/sessions/{token}/trials/{n}", an_answer(response))
            self.answers[token, n] = response
        await line.store(f"/api/sessions/{token}/completion", {})
        self.finished.append(token)


class Reconnecting:
    """A line that is opened again when it breaks; what was under way is sent again, as the page does it."""

    def __init__(self, crowd: Crowd) -> None:
        self._crowd = crowd
        self._line: Line | None = None

    async def store(self, path: str, message: Any) -> None:
        answer = await self.ask("PUT", path, message)
        assert answer.status in _TAKEN, (path, answer.status, answer.body)

    async def ask(self, method: str, path: str, message: Any = None) -> Answer:
        host = f"127.0.0.1:{self._crowd.port}"
        content = request_bytes(method, path, host) if message is None else json_request(method, path, host, message)
        async with asyncio.timeout(120):
            while True:
                try:
                    if self._line is None:
                        self._line = await connect("127.0.0.1", self._crowd.port)
                    async with asyncio.timeout(15):
                        answer = await self._line.ask(content)
                    if answer.status not in _LATER:
                        return answer
                    assert b"retry-after" in answer.headers.lower(), answer.headers
                except (OSError, TimeoutError):
                    self.hang_up()
                self._crowd.sent_again += 1
                await asyncio.sleep(0.02)

    def hang_up(self) -> None:
        if self._line is not None:
            self._line.close()
        self._line = None


def everything_is_there(reading: Reading, crowd: Crowd) -> None:
    """Check that what was acknowledged is stored as it was given, nothing twice, and no session that nobody began."""
    sessions = reading.sessions(Mode.LIVE)
    assert len(sessions) == crowd.begun == len(crowd.finished)
    numbers = [session.number for session in sessions]
    assert len(numbers) == len(set(numbers))
    for token in crowd.finished:
        session = reading.session(token_digest(token))
        assert session is not None
        assert session.finished is not None
        records = reading.records(session, Part.TRIALS)
        assert [record.number for record in records] == list(range(1, 24))
        assert [record.judgment.response.value for record in records] == [crowd.answers[token, n] for n in range(1, 24)]
        assert [record.stimulus_id for record in records] == list(session.plan)
