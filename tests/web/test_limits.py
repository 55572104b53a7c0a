"""Sessions and guesses are limited for each address; participants who are known never are."""

from dataclasses import dataclass

import pytest
from starlette.requests import Request

from limen.core.sessions import Mode
from limen.web.limits import Allowance, Limits
from limen.web.problems import ProblemError
from serving import RESEARCHER, serving
from studies import an_answer, an_application


@dataclass
class Watch:
    time: float = 1000.0

    def __call__(self) -> float:
        return self.time


def from_address(address: str) -> Request:
    return Request({"type": "http", "client": (address, 1234), "headers": []})


def left(allowance: Allowance, address: str, most: int = 1000) -> int:
    for n in range(most):
        try:
            allowance.check(from_address(address))
        except ProblemError:
            return n
        allowance.use(from_address(address))
    return most


def test_an_address_gets_its_allowance_back_with_time_and_no_other_is_touched() -> None:
    watch = Watch()
    allowance = Allowance(30, watch)
    assert left(allowance, "192.0.2.1") == 30
    assert left(allowance, "192.0.2.2") == 30
    watch.time += 2.01
    assert left(allowance, "192.0.2.1") == 1
    watch.time += 60
    assert left(allowance, "192.0.2.1") == 30
    with pytest.raises(ProblemError) as refused:
        allowance.check(from_address("192.0.2.1"))
    assert refused.value.status == 429
    assert refused.value.headers == {"Retry-After": "2"}


def test_a_network_of_ipv6_counts_as_one_address() -> None:
    allowance = Allowance(10, Watch())
    assert left(allowance, "2001:db8:1:2::1") == 10
    assert left(allowance, "2001:db8:1:2:aaaa::9") == 0
    assert left(allowance, "2001:db8:1:3::1") == 10


def test_an_address_is_the_same_on_a_socket_that_listens_for_both_kinds() -> None:
    allowance = Allowance(10, Watch())
    assert left(allowance, "::ffff:192.0.2.1") == 10
    assert left(allowance, "192.0.2.1") == 0
    assert left(allowance, "::ffff:192.0.2.2") == 10


def test_counting_is_limited_for_each_address() -> None:
    with serving(limits=Limits(sessions=Allowance(0), counts=Allowance(5))) as served:
        told = [served.client.post("/api/counts", json={"what": "landed"}).status_code for _ in range(8)]
    assert told == [204] * 5 + [429] * 3


def test_addresses_are_forgotten_and_their_number_is_bounded() -> None:
    watch = Watch()
    allowance = Allowance(60, watch)
    for n in range(30_000):
        allowance.use(from_address(f"address {n}"))
    assert len(allowance._full_again) <= 20_000
    watch.time += 61
    allowance.use(from_address("address 0"))
    assert list(allowance._full_again) == ["address 0"]


def test_no_bound_is_no_bound() -> None:
    assert left(Allowance(0, Watch()), "192.0.2.1") == 1000


def test_too_many_sessions_are_refused_and_those_begun_go_on() -> None:
    with serving(limits=Limits(sessions=Allowance(3))) as served:
        token, *_ = (served.begin() for _ in range(3))
        refused = served.client.post("/api/sessions", json=an_application(served.study))
        assert (refused.status_code, refused.json()["type"]) == (429, "about:blank#too-often")
        assert 1 <= int(refused.headers["retry-after"]) <= 20
        served.practice(token)
        assert served.put(token, "trials/1", an_answer()).status_code == 201


@pytest.mark.parametrize("path", ["/status/{}", "/metrics/{}", "/withdraw/{}"])
def test_who_guesses_secrets_is_slowed_down_and_keeps_nobody_out_who_has_one(path: str) -> None:
    with serving(limits=Limits(guesses=Allowance(5))) as served:
        client, token = served.client, served.finish()
        code = client.get(f"/api/sessions/{token}?tab=tab-1").json()["withdrawal_code"]
        for n in range(5):
            assert client.get(path.format(f"{n}" * 22)).status_code == 404
        for method in ("GET", "POST") if "withdraw" in path else ("GET",):
            assert client.request(method, path.format("x" * 22)).status_code == 429
        wrong = {"Authorization": f"Bearer {'x' * 22}"}
        assert client.get("/simulated", headers=wrong).status_code == 429
        assert client.get("/simulated", headers={"Authorization": f"Bearer {RESEARCHER}"}).status_code == 200
        for page in ("status", "metrics"):  # behind a proxy everyone has one address
            assert client.get(f"/{page}/{RESEARCHER}").status_code == 200
        assert client.get(f"/api/sessions/{token}?tab=tab-1").status_code == 200
        assert client.get(f"/withdraw/{code}").status_code == 200
        assert client.post(f"/withdraw/{code}").status_code == 200
        assert served.store.read(lambda reading: reading.sessions(Mode.LIVE)) == ()
