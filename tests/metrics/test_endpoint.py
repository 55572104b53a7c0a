"""Against a real server on this machine: what is asked, and what is made of bad answers."""

import json
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embedding_server import Manner, Reply, an_embedding_server, proper, vector_of
from limen.errors import MetricError
from limen.metrics.endpoint import KEY_VARIABLE, Address, EndpointVectors
from limen.metrics.endpoint_answers import pause_asked_for
from limen.metrics.registry import MetricShelf

KEY = "sk-very-secret-0123456789"
TEXTS = ["one text", "another text", "and a third one"]
EXPECTED = np.array([vector_of(text) for text in TEXTS], np.float32)


def _status(code: int, body: bytes = b"", **headers: str) -> Manner:
    return lambda texts: Reply(status=code, body=body, headers={k.replace("_", "-"): v for k, v in headers.items()})


def _changed(change: Callable[[dict[str, Any]], object]) -> Manner:
    def answer(texts: list[str]) -> Reply:
        whole = json.loads(proper(texts).body)
        change(whole)
        return Reply(body=json.dumps(whole).encode())

    return answer


def _embed(
    address: str, texts: list[str], *, pauses: list[float] | None = None, timeout_s: float = 20.0, key: str = KEY
) -> np.ndarray[Any, Any]:
    pauses = [] if pauses is None else pauses
    embedder = EndpointVectors(
        address=Address(url=address, key=key), served="m", sleep=pauses.append, timeout_s=timeout_s
    )
    try:
        return embedder.embed(texts).vectors
    finally:
        embedder.close()


BAD_ANSWERS: dict[str, Manner] = {
    "429": _status(429, b'{"error": "slow down"}'),
    "500": _status(500, b"oops"),
    "503": _status(503),
    "too few": _changed(lambda whole: whole["data"].pop()),
    "too many": _changed(lambda whole: whole["data"].append(whole["data"][0])),
    "index twice": _changed(lambda whole: whole["data"][0].update(index=1)),
    "no index": _changed(lambda whole: whole["data"][0].pop("index")),
    "no data": _changed(lambda whole: whole.pop("data")),
    "a list": lambda texts: Reply(body=b"[]"),
    "half a JSON": lambda texts: Reply(body=proper(texts).body[:-40]),
    "breaks off": lambda texts: Reply(body=proper(texts).body[:-40], announced=len(proper(texts).body)),
    "NaN": _changed(lambda whole: whole["data"][1]["embedding"].__setitem__(2, float("nan"))),
    "null": _changed(lambda whole: whole["data"][1]["embedding"].__setitem__(2, None)),
    "too large": _changed(lambda whole: whole["data"][1]["embedding"].__setitem__(2, 1e300)),
    "far too large": _changed(lambda whole: whole["data"][1]["embedding"].__setitem__(2, 10**400)),
    "words": _changed(lambda whole: whole["data"][1].update(embedding="AAAA")),
    "one shorter": _changed(lambda whole: whole["data"][1]["embedding"].pop()),
    "empty vectors": _changed(lambda whole: [entry.update(embedding=[]) for entry in whole["data"]]),
    "HTML": lambda texts: Reply(body=b"<html>busy</html>"),
}


def test_texts_go_out_in_one_request_and_come_back_as_vectors() -> None:
    with an_embedding_server() as server:
        found = _embed(server.address, TEXTS)
        assert server.asked == [TEXTS]
        assert (server.paths, server.models, server.keys) == (["/v1/embeddings"], ["m"], [f"Bearer {KEY}"])
    assert np.array_equal(found, EXPECTED)


@pytest.mark.parametrize("ending", ["", "/", "/embeddings", "/embeddings/"])
def test_the_address_may_be_the_base_or_the_whole(ending: str) -> None:
    with an_embedding_server() as server:
        _embed(server.address + ending.rstrip("/"), TEXTS)
        assert server.paths == ["/v1/embeddings"]


def test_without_a_key_none_is_sent() -> None:
    with an_embedding_server() as server:
        _embed(server.address, TEXTS, key="")
        assert server.keys == [None]


def test_shuffled_answers_are_put_in_order_by_index() -> None:
    with an_embedding_server(_changed(lambda whole: whole["data"].reverse())) as server:
        assert np.array_equal(_embed(server.address, TEXTS), EXPECTED)
        assert len(server.asked) == 1


@pytest.mark.parametrize("manner", BAD_ANSWERS.values(), ids=BAD_ANSWERS)
def test_a_bad_answer_is_never_believed_and_asked_for_again(manner: Manner) -> None:
    pauses: list[float] = []
    with an_embedding_server(manner, manner) as server:
        assert np.array_equal(_embed(server.address, TEXTS, pauses=pauses), EXPECTED)
        assert len(server.asked) == 3
    assert pauses == [1.0, 2.0]


@pytest.mark.parametrize("manner", ["429", "breaks off", "NaN", "HTML"])
def test_an_endpoint_that_stays_bad_is_given_up_in_one_line(manner: str) -> None:
    pauses: list[float] = []
    with an_embedding_server(*[BAD_ANSWERS[manner]] * 6) as server:
        with pytest.raises(MetricError, match="no usable answer in 6 tries") as caught:
            _embed(server.address, TEXTS, pauses=pauses)
        assert len(server.asked) == 6
    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0]
    assert "\n" not in str(caught.value)


def test_the_pause_that_a_server_asks_for_is_kept() -> None:
    pauses: list[float] = []
    with an_embedding_server(_status(429, Retry_After="7"), _status(503, Retry_After="never")) as server:
        _embed(server.address, TEXTS, pauses=pauses)
    assert pauses == [7.0, 2.0]


def test_a_server_that_wants_an_hour_is_not_waited_for() -> None:
    with (
        an_embedding_server(_status(429, Retry_After="3600")) as server,
        pytest.raises(MetricError, match="wants a pause of 3600 seconds"),
    ):
        _embed(server.address, TEXTS)


def test_a_pause_may_be_a_date() -> None:
    now = datetime(2026, 1, 5, 10, tzinfo=UTC)
    assert pause_asked_for(format_datetime(now + timedelta(seconds=30), usegmt=True), now) == 30
    assert pause_asked_for(format_datetime(now - timedelta(seconds=30), usegmt=True), now) == 0
    assert [pause_asked_for(said, now) for said in (None, "soon", "inf", "nan", "-3")] == [None, None, None, None, 0]


def test_a_slow_server_is_asked_again() -> None:
    gone = threading.Event()

    def slow(texts: list[str]) -> None:
        gone.wait(5)

    with an_embedding_server(slow) as server:
        assert np.array_equal(_embed(server.address, TEXTS, timeout_s=0.2), EXPECTED)
        assert len(server.asked) == 2
        gone.set()


def test_a_server_that_is_not_there_is_told_in_one_line() -> None:
    with an_embedding_server() as server:
        address = server.address
    with pytest.raises(MetricError, match=r"no usable answer in 6 tries \(last: ConnectError"):
        _embed(address, TEXTS)


def test_vectors_of_another_size_are_not_believed() -> None:
    def longer(texts: list[str]) -> Reply:
        data = [{"index": k, "embedding": vector_of(text, 16)} for k, text in enumerate(texts)]
        return Reply(body=json.dumps({"data": data}).encode())

    with an_embedding_server(lambda texts: None, *[longer] * 6) as server:
        embedder = EndpointVectors(address=Address(url=server.address), served="m", sleep=lambda seconds: None)
        embedder.embed(["a"])
        with pytest.raises(MetricError, match="vectors of 16 numbers after vectors of 8"):
            embedder.embed(["b"])
        embedder.close()


@pytest.mark.parametrize(("code", "hint"), [(401, KEY_VARIABLE), (403, KEY_VARIABLE), (404, "check the address")])
def test_what_cannot_get_better_is_not_tried_again(code: int, hint: str) -> None:
    with an_embedding_server(_status(code, b"no")) as server:
        with pytest.raises(MetricError, match=hint):
            _embed(server.address, TEXTS)
        assert len(server.asked) == 1


def test_a_redirect_is_not_followed_for_it_would_carry_texts_and_key_elsewhere() -> None:
    with an_embedding_server() as other, an_embedding_server(_status(307, Location=other.address)) as server:
        with pytest.raises(MetricError, match="status 307"):
            _embed(server.address, TEXTS)
        assert other.asked == []


def test_a_request_that_is_too_large_is_split() -> None:
    def at_most_two(texts: list[str]) -> Reply | None:
        return Reply(status=413, body=b"too large") if len(texts) > 2 else None

    texts = [f"text {n}" for n in range(7)]
    with an_embedding_server(*[at_most_two] * 20) as server:
        found = _embed(server.address, texts)
    assert np.array_equal(found, np.array([vector_of(text) for text in texts], np.float32))


def test_a_text_that_is_refused_is_found_and_named_by_its_length() -> None:
    def refuse(texts: list[str]) -> Reply | None:
        return Reply(status=400, body=b"maximum context length") if "long " * 90 in texts else None

    texts = [*TEXTS, "long " * 90]
    with (
        an_embedding_server(*[refuse] * 20) as server,
        pytest.raises(MetricError, match=r"refuses a text of 90 words: status 400: maximum context length"),
    ):
        _embed(server.address, texts)


def test_texts_that_the_endpoint_cut_are_told() -> None:
    def cutting(texts: list[str]) -> Reply:
        return proper(texts, usage={"prompt_tokens": sum(min(50, len(text.split())) for text in texts)})

    with an_embedding_server(*[cutting] * 20) as server:
        embedder = EndpointVectors(address=Address(url=server.address), served="m")
        assert embedder.embed(["short one", "word " * 60, "a b c"]).cut == (False, True, False)
        assert embedder.embed(TEXTS).cut == (False, False, False)
        embedder.close()


def test_the_key_is_in_no_error_and_in_no_file(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    echo = f"the key {KEY} is bad".encode()
    caplog.set_level(0)
    for manners in ([_status(401, echo)], [_status(404, echo)], [_status(400, echo)] * 9, [_status(500, echo)] * 6):
        with an_embedding_server(*manners) as server:
            with pytest.raises(MetricError) as caught:
                _embed(server.address, TEXTS)
            assert KEY not in str(caught.value)
    with an_embedding_server() as server:
        shelf = MetricShelf(cache_folder=tmp_path, endpoint=Address(url=server.address, key=KEY))
        shelf.find("cosine/endpoint/m").distances(TEXTS[:1], TEXTS[1:2])
        assert server.keys == [f"Bearer {KEY}"]
        assert KEY not in repr(shelf)
        shelf.close()
    said = capsys.readouterr()
    assert KEY not in said.out + said.err + caplog.text
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert written
    assert all(KEY.encode() not in path.read_bytes() for path in written)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "host/v1",
        "ftp://host",
        "http://",
        "http://me:secret@host/v1",
        "https://host/v1?api-key=secret",
        "http://h:x",
    ],
)
def test_an_address_that_is_none_or_carries_a_secret_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(MetricError, match="--endpoint") as caught:
        Address(url=url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("key", ["two\nlines", "schlüssel", "tab\t"])
def test_a_key_that_is_none_is_refused_without_repeating_it(key: str) -> None:
    with pytest.raises(MetricError, match=KEY_VARIABLE) as caught:
        Address(url="https://host/v1", key=key)
    assert key not in str(caught.value)
