"""The description of the interface is fresh, valid, and true."""

import json
import re
from pathlib import Path

import jsonschema

from limen.web.openapi import describe, encoded
from limen.web.operations import OPERATIONS
from serving import serving
from studies import an_answer

FILE = Path(__file__).parents[2] / "docs" / "reference" / "openapi.json"


def test_the_file_is_fresh() -> None:
    assert FILE.read_bytes() == encoded(), "stale; run scripts/fix"


def test_every_operation_is_described_with_a_name_of_its_own() -> None:
    described = [operation for path in describe()["paths"].values() for operation in path.values()]
    names = [operation["operationId"] for operation in described]
    assert len(names) == len(set(names)) == len(OPERATIONS)


def test_what_the_server_answers_is_what_the_description_says() -> None:
    description = json.loads(FILE.read_text())
    with serving() as served:
        token = served.finish()
        served.put(token, "trials/1", an_answer("SOMETHINGS_OFF"))
        served.put(token, "trials/1", {})
        served.put("x" * 22, "trials/1", an_answer())
        other = served.begin()
        for n in (1, 2, 9):
            served.client.get(f"/api/sessions/{other}/trials/{n}")
        served.client.get(f"/api/sessions/{other}?tab=t")
        heard = served.heard
    paths = {re.sub(r"{\w+}", "[^/]+", path): methods for path, methods in description["paths"].items()}
    for answer in heard:
        pattern = next(pattern for pattern in paths if re.fullmatch(pattern, answer.request.url.path))
        operation = paths[pattern][answer.request.method.lower()]
        expected = operation["responses"][str(answer.status_code)]
        media_type = answer.headers["content-type"]
        schema = {**expected["content"][media_type]["schema"], "components": description["components"]}
        jsonschema.validate(answer.json(), schema)
    assert len({answer.status_code for answer in heard}) >= 5
