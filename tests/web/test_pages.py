"""The participant's page, the withdrawal page and the researcher's status page."""

import gzip
import re
from collections.abc import Iterator

import pytest

from limen.core.sessions import DailyCount, Mode
from serving import RESEARCHER, Served, serving
from studies import an_answer, forbidden_values


@pytest.fixture
def served() -> Iterator[Served]:
    with serving() as running:
        yield running


def test_the_page_is_the_same_for_every_mode_but_for_the_mode(served: Served) -> None:
    pages = {path: served.client.get(path).text for path in ("/", "/pilot", "/preview")}
    for path, mode in (("/", "live"), ("/pilot", "pilot"), ("/preview", "preview")):
        assert f'"mode":"{mode}"' in pages[path]
        assert pages[path].replace(f'"mode":"{mode}"', "") == pages["/"].replace('"mode":"live"', "")


def test_the_page_is_sent_compressed_to_those_who_take_it_so(served: Served) -> None:
    plain = served.client.get("/", headers={"Accept-Encoding": "identity"})
    zipped = served.client.get("/", headers={"Accept-Encoding": "gzip"})
    assert plain.text == zipped.text
    assert zipped.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert int(zipped.headers["content-length"]) < int(plain.headers["content-length"])
    assert len(gzip.compress(plain.content)) < len(plain.content)


def test_a_participant_takes_the_answers_back_by_a_link_that_asks_first(served: Served) -> None:
    token = served.finish()
    code = served.client.get(f"/api/sessions/{token}?tab=t").json()["withdrawal_code"]
    asked = served.client.get(f"/withdraw/{code}")
    assert "Delete your answers?" in asked.text
    assert '<form method="post">' in asked.text
    assert served.store.read(lambda reading: len(reading.sessions(Mode.LIVE))) == 1
    assert "Your answers were deleted" in served.client.post(f"/withdraw/{code}").text
    assert "deleted already" in served.client.post(f"/withdraw/{code}").text
    assert "deleted already" in served.client.get(f"/withdraw/{code}").text
    assert served.store.read(lambda reading: reading.sessions(Mode.LIVE)) == ()
    assert served.store.read(lambda reading: reading.counts(Mode.LIVE))[DailyCount.WITHDRAWN] == 1
    gone = served.client.get(f"/api/sessions/{token}?tab=t")
    assert (gone.status_code, gone.json()["type"]) == (410, "about:blank#withdrawn")
    assert served.put(token, "trials/1", an_answer()).status_code == 410


def test_the_withdrawal_page_tells_nothing_of_the_hypothesis(served: Served) -> None:
    from limen.core.wording import HYPOTHESIS_WORDS

    words = re.findall(r"[a-z]+", served.client.get("/withdraw/x").text.lower())
    assert [word for word in words if word.startswith(HYPOTHESIS_WORDS) or word == "limen"] == []


def test_the_researcher_sees_how_many_and_how_far_and_nothing_else(served: Served) -> None:
    for what in ("landed", "landed", "consented"):
        served.client.post("/api/counts", json={"what": what})
    served.finish()
    token = served.begin()
    served.practice(token)
    served.answer(token, 1, 3)
    page = served.client.get(f"/status/{RESEARCHER}")
    assert page.status_code == 200
    text = re.sub(r"<[^>]+>", " ", page.text)
    assert re.search(r"1\s+of 10 raters have finished", text)
    assert re.search(r"Opened the page\s+2\s", text)
    assert "preview" not in text  # a mode in which nobody came
    assert re.search(r"P002\s+trials\s+3 of 23", text)
    assert "P001" not in text  # who has finished is not under way
    assert [value for value in forbidden_values(served.study) if value in page.text] == []
    assert "SOMETHINGS_OFF" not in page.text
    style = re.search(r"<style>(.*?)</style>", page.text, re.DOTALL)
    assert style is not None
    assert "style=" not in page.text


def test_comments_of_a_pilot_are_shown_as_text(served: Served) -> None:
    token = served.begin(mode="pilot")
    served.put(token, "comment", {"text": "<b>bold</b> & small", "tab": "tab-1"})
    page = served.client.get(f"/status/{RESEARCHER}").text
    assert "&lt;b&gt;bold&lt;/b&gt; &amp; small" in page
    assert "<b>" not in page


def test_only_the_secret_opens_the_status_page(served: Served) -> None:
    for wrong in ("", "x", RESEARCHER[:-1], RESEARCHER + "x", RESEARCHER.upper()):
        assert served.client.get(f"/status/{wrong}").status_code == 404
