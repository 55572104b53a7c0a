"""Scripts that compute an analysis again without Limen: the protocol's own calls in Python, lme4 in R."""

from importlib import resources

from limen.core.protocol import ConditionRole, Protocol


def reproduction_scripts(protocol: Protocol) -> dict[str, bytes]:
    """Give reproduce.py and reproduce.R for the conditions of a protocol; both read raw_responses.csv beside them."""
    return {name: _filled(name, protocol).encode() for name in ("reproduce.py", "reproduce.R")}


def _filled(name: str, protocol: Protocol) -> str:
    text = (resources.files("limen.dataset.templates") / f"{name}.txt").read_text("utf-8")
    target = protocol.with_role(ConditionRole.TARGET)[0]
    baseline = protocol.with_role(ConditionRole.BASELINE)[0]
    places = {
        "PROTOCOL": " ".join(protocol.study.protocol.split()).replace('"', "'"),
        "TARGET": target.name,
        "BASELINE": baseline.name,
        "TARGET_EXPECTED": str(target.expected),
        "BASELINE_EXPECTED": str(baseline.expected),
        "CHANCE": repr(protocol.decision.chance),
    }
    for place, value in places.items():
        text = text.replace(f"@@{place}@@", value)
    return text
