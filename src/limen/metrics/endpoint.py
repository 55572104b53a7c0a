"""Vectors from an OpenAI-compatible `/embeddings` endpoint: the one backend that sends texts away."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpx
import numpy as np

from limen.errors import MetricError
from limen.metrics.embedding import Embedded
from limen.metrics.endpoint_answers import Answered, BadAnswerError, pause_asked_for, read_answer
from limen.metrics.names import Backend

KEY_VARIABLE = "LIMEN_EMBEDDINGS_KEY"

_TRY_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
_TOO_MUCH = frozenset({400, 413, 422})  # perhaps because of one text, or of too many at once
_TRIES = 6
_LONGEST_PAUSE_S = 60.0
_LONGEST_ASKED_PAUSE_S = 120.0
_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where an endpoint is, and the key it wants. The key is never shown."""

    url: str
    key: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.url)
            usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            usable = False
        if not usable:
            raise MetricError("--endpoint: an address such as https://host/v1 was expected")
        if parts.username is not None or parts.query or parts.fragment:
            raise MetricError(
                "--endpoint: an address without name, password or question mark was expected; "
                f"a key goes into the environment as {KEY_VARIABLE}"
            )
        if not (self.key.isascii() and self.key.isprintable()):
            raise MetricError(f"{KEY_VARIABLE}: no key (line breaks or letters that no key has); set it anew")

    @property
    def base(self) -> str:
        """The address without a final slash and without `/embeddings`."""
        return self.url.rstrip("/").removesuffix("/embeddings")

    @property
    def host(self) -> str:
        """Who gets the texts."""
        return urlsplit(self.url).netloc


@dataclass(slots=True, kw_only=True)
class EndpointVectors:
    """A model behind an address. Asks in batches, tries again when that may help, and says in one line when not."""

    address: Address
    served: str  # the model's name there
    batch_size: int = 64
    timeout_s: float = _TIMEOUT_S
    sleep: Callable[[float], None] = time.sleep
    requests: int = field(default=0, init=False)
    _client: httpx.Client | None = field(default=None, init=False, repr=False)
    _size: int | None = field(default=None, init=False)

    @property
    def model(self) -> str:
        """`endpoint/` and the model's name there."""
        return f"{Backend.ENDPOINT}/{self.served}"

    @property
    def version(self) -> str:
        """The address: what is served under a name elsewhere may be something else."""
        return self.address.base

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Give the vectors of the texts. Raises MetricError when the endpoint cannot or will not."""
        try:
            answered = self._ask(texts)
        except _RefusedError as refused:
            return self._in_halves(texts, refused)
        words = [len(text.split()) for text in texts]
        if answered.tokens is None or answered.tokens >= sum(words):
            return Embedded(vectors=answered.vectors, cut=(False,) * len(texts))
        if len(texts) == 1:  # every word is at least one token, so fewer tokens than words were read
            return Embedded(vectors=answered.vectors, cut=(True,))
        return self._joined([self.embed([text]) for text in texts])

    def remarks(self, embedded: int, cut: int) -> tuple[str, ...]:
        """Say how much was sent and to whom, and what was seen to be cut."""
        texts = "1 text" if embedded == 1 else f"{embedded:,} texts"
        said = f"{texts} sent to {self.address.host}" if embedded else f"nothing sent to {self.address.host}: all known"
        shorter = f"at least {cut:,} of the texts cut by the endpoint, which counted fewer tokens than words"
        return (said, shorter) if cut else (said,)

    def close(self) -> None:
        """Close the connection."""
        if self._client:
            self._client.close()
        self._client = None

    def _in_halves(self, texts: Sequence[str], refused: "_RefusedError") -> Embedded:
        """Ask for less at a time, until it is clear which text is refused."""
        if len(texts) == 1:
            words = len(texts[0].split())
            raise MetricError(
                f"{self.address.host} refuses a text of {words} words: {refused}; check the model's name and limit, "
                "or leave the text out"
            ) from refused
        middle = len(texts) // 2
        return self._joined([self.embed(texts[:middle]), self.embed(texts[middle:])])

    def _joined(self, parts: Sequence[Embedded]) -> Embedded:
        return Embedded(
            vectors=np.concatenate([part.vectors for part in parts]),
            cut=tuple(cut for part in parts for cut in part.cut),
        )

    def _ask(self, texts: Sequence[str]) -> Answered:
        """Ask until an answer is whole. Raises _RefusedError when less text may be accepted."""
        problem = ""
        for tried in range(_TRIES):
            asked_pause = None
            try:
                response = self._post(texts)
                if response.status_code == httpx.codes.OK:
                    return self._checked(read_answer(response.content, len(texts)))
                problem = f"status {response.status_code}{self._said(response)}"
                self._give_up_where_useless(response.status_code, problem)
                asked_pause = pause_asked_for(response.headers.get("retry-after"))
            except httpx.TimeoutException:
                problem = f"no answer within {self.timeout_s:g} seconds"
            except httpx.TransportError as broken:
                problem = self._without_key(f"{type(broken).__name__}: {broken}")
            except BadAnswerError as broken:
                problem = str(broken)
            if asked_pause is not None and asked_pause > _LONGEST_ASKED_PAUSE_S:
                raise MetricError(
                    f"{self.address.host} wants a pause of {asked_pause:.0f} seconds ({problem}); "
                    "run the command again then: what was embedded is kept"
                )
            if tried < _TRIES - 1:
                self.sleep(min(_LONGEST_PAUSE_S, 2.0**tried) if asked_pause is None else asked_pause)
        raise MetricError(
            f"{self.address.host} gave no usable answer in {_TRIES} tries (last: {problem}); "
            "run the command again later: what was embedded is kept"
        )

    def _post(self, texts: Sequence[str]) -> httpx.Response:
        if self._client is None:
            headers = {"Authorization": f"Bearer {self.address.key}"} if self.address.key else {}
            self._client = httpx.Client(timeout=self.timeout_s, headers=headers)
        self.requests += 1
        body = {"model": self.served, "input": list(texts), "encoding_format": "float"}
        return self._client.post(f"{self.address.base}/embeddings", json=body)

    def _checked(self, answered: Answered) -> Answered:
        size = answered.vectors.shape[1]
        if self._size is not None and size != self._size:
            raise BadAnswerError(f"vectors of {size} numbers after vectors of {self._size}")
        self._size = size
        return answered

    def _give_up_where_useless(self, status: int, problem: str) -> None:
        if status in _TOO_MUCH:
            raise _RefusedError(problem)
        if status in (401, 403):
            raise MetricError(
                f"{self.address.host} does not let us in (status {status}); "
                f"set {KEY_VARIABLE} in the environment to a key that is valid there"
            )
        if status not in _TRY_AGAIN:
            raise MetricError(
                f"{self.address.host} answers {problem}; check the address (its base, such as https://host/v1) and "
                f"the model {self.served!r}"
            )

    def _said(self, response: httpx.Response) -> str:
        """Give the beginning of what a server said about its error, on one line and without our key."""
        text = self._without_key(" ".join(response.text.split()))
        return f": {text[:160]}" if text else ""

    def _without_key(self, text: str) -> str:
        return text.replace(self.address.key, "[key]") if self.address.key else text


class _RefusedError(Exception):
    """The endpoint did not like this request, and would not like it a second time."""
