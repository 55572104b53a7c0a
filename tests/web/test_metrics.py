"""Metrics: for the researcher only, by pattern only, summed over processes."""

import re

from limen.web.metrics import PAGES, ROUTES, Metrics, shared_memory
from limen.workflow.ports import WriterLoad
from serving import RESEARCHER, serving


def samples(text: str) -> dict[str, float]:
    found = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, value in found.items()}


def test_requests_are_counted_by_pattern_and_only_the_researcher_sees_it() -> None:
    with serving() as served:
        token = served.finish()
        served.client.get("/nothing/here")
        assert served.client.get("/metrics/" + "x" * 23).status_code == 404
        assert served.client.get("/metrics").status_code == 404
        answer = served.client.get(f"/metrics/{RESEARCHER}")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    for secret in (token, RESEARCHER, "127.0.0.1", "NORMAL", "tab-1"):
        assert secret not in answer.text
    counted = samples(answer.text)
    trials = '{route="/api/sessions/{token}/trials/{number}"'
    assert counted[f'limen_requests_total{trials},method="PUT",status="201"}}'] == 23
    assert counted[f'limen_request_seconds_bucket{trials},le="+Inf"}}'] == 23
    assert counted[f"limen_request_seconds_count{trials}}}"] == 23
    assert counted['limen_requests_total{route="other",method="GET",status="404"}'] == 2
    assert counted["limen_store_up"] == counted["limen_workers"] == 1


def test_the_text_is_what_prometheus_reads() -> None:
    metrics = Metrics()
    metrics.observe("/", "GET", 200, 0.02)
    metrics.observe("/", "BREW", 418, 99.0)
    text = metrics.text()
    sample = r'[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+-]+'
    assert all(re.fullmatch(rf"# (HELP|TYPE) .*|{sample}", line) for line in text.splitlines())
    counted = samples(text)
    assert counted['limen_requests_total{route="/",method="other",status="other"}'] == 1
    buckets = [value for name, value in counted.items() if name.startswith("limen_request_seconds_bucket")]
    assert buckets == sorted(buckets)
    assert buckets[-1] == 2


def test_processes_add_up() -> None:
    memory = shared_memory(3)
    first, second = Metrics(memory, 0), Metrics(memory, 2)
    for metrics in (first, second):
        metrics.observe("/", "GET", 200, 0.01)
        metrics.note_store(True, WriterLoad(waiting=4, written=10, batches=2, busy_s=0.5, outages=1))
    counted = samples(first.text())
    assert counted['limen_requests_total{route="/",method="GET",status="200"}'] == 2
    assert (counted["limen_workers"], counted["limen_writes_total"], counted["limen_write_seconds_total"]) == (2, 20, 1)


def test_every_route_has_a_place() -> None:
    with serving() as served:
        for page in PAGES:
            served.client.get(page.format(code="x", secret=RESEARCHER))
        text = served.client.get(f"/metrics/{RESEARCHER}").text
    for page in PAGES:
        assert f'route="{page}"' in text
    assert len(set(ROUTES)) == len(ROUTES)
