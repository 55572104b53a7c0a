"""Bounds of conditions as options say them: NAME=BOUND, several with commas."""

import re
from collections.abc import Mapping

from limen.core.protocol import DriftRange, Protocol
from limen.errors import InputError


def read_ranges(protocol: Protocol, text: str | None, option: str) -> Mapping[str, DriftRange]:
    """Read NAME=BOUND or NAME=LOW-HIGH, several with commas; which bound a single one is, the condition tells."""
    ranges = {}
    for part in filter(None, (part.strip() for part in (text or "").split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        condition = next((c for c in protocol.conditions if c.name == name), None)
        if not equals:
            raise InputError(f"{option} {part}: NAME=NUMBER was expected, several with commas")
        if condition is None:
            known = ", ".join(c.name for c in protocol.conditions)
            raise InputError(f"{option} {name}: no such condition; this study has {known}")
        if name in ranges:
            raise InputError(f"{option} {part}: {name} is given twice; give it once")
        both = re.fullmatch(r"([\d.]+)-([\d.]+)", value)
        has_two = condition.drift.above is not None and condition.drift.below is not None
        if has_two != bool(both):
            wanted = "LOW-HIGH" if has_two else "one number"
            raise InputError(f"{option} {part}: {name} goes {condition.drift}; write {wanted}")
        try:
            bounds = [float(number) for number in (both.groups() if both else (value,))]
            if both:
                ranges[name] = DriftRange(above=bounds[0], below=bounds[1])
            elif condition.drift.above is not None:
                ranges[name] = DriftRange(above=bounds[0])
            else:
                ranges[name] = DriftRange(below=bounds[0])
        except ValueError as problem:
            said = str(problem) if both else f"{value!r} is no number; write it like 0.25"
            raise InputError(f"{option} {part}: {said}") from problem
    return ranges


def read_shares(protocol: Protocol, text: str | None, option: str) -> Mapping[str, DriftRange]:
    """Read shares of replies, between 0 and 1, written like bounds."""
    shares = read_ranges(protocol, text, option)
    for name, share in shares.items():
        if not all(0 < bound < 1 for bound in (share.above, share.below) if bound is not None):
            raise InputError(f"{option} {name}: a share between 0 and 1 was expected, such as 0.9")
    return shares
