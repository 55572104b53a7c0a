"""The server's log: one JSON object a line, requests by pattern, and nothing of who sent them or what they said."""

import json
import logging
import shutil
import sys
from pathlib import Path

import httpx

from commands import a_server, begin
from limen.cli.logs import JsonLines, TextLines
from studies import an_answer


def a_record(**fields: object) -> logging.LogRecord:
    record = logging.LogRecord("limen.x", logging.WARNING, __file__, 1, "it was %s", ("so",), None)
    record.fields = fields
    return record


def test_a_record_is_one_line_of_json_with_its_fields() -> None:
    try:
        raise ValueError("no\nway")
    except ValueError:
        record = a_record(status=503)
        record.exc_info = sys.exc_info()
    line = JsonLines().format(record)
    assert "\n" not in line
    shown = json.loads(line)
    assert (shown["level"], shown["event"], shown["status"]) == ("warning", "it was so", 503)
    assert shown["time"].endswith("Z")
    assert "no\nway" in shown["error"]


def test_people_read_lines_of_text() -> None:
    assert TextLines().format(a_record(status=503)).endswith("WARNING it was so status=503")


def test_a_server_logs_requests_without_who_or_what(example_study: Path, tmp_path: Path) -> None:
    study = Path(shutil.copytree(example_study, tmp_path / "study"))
    with a_server(study, "--log-requests") as server:
        with httpx.Client(base_url=server.participants, headers={"User-Agent": "Tell-Tale"}) as client:
            token = begin(client)
            client.put(f"/api/sessions/{token}/practice/1", json=an_answer())
            client.get(server.researcher)
        assert server.terminate() == 0
        assert server.process.stderr is not None
        lines = server.process.stderr.read().splitlines()
    logged = [json.loads(line) for line in lines]
    assert [line["event"] for line in logged if line["event"] != "request"] == ["serving", "stopping"]
    practice = [line for line in logged if line.get("route") == "/api/sessions/{token}/practice/{number}"]
    assert [(line["method"], line["status"]) for line in practice] == [("PUT", 201)]
    assert practice[0]["ms"] >= 0
    for mark in (token, "Tell-Tale", "127.0.0.1", server.researcher.rpartition("/")[2], "tab-1", "NORMAL"):
        assert mark not in "".join(lines)
