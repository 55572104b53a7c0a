"""The page of the documentation that shows every screen, in light and dark, on a desktop and on a phone."""

from typing import Literal

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
DEVICES = ("desktop", "phone")

SCREENS = {
    "What every participant meets": {
        "consent": "Consent, with the duration computed from the words shown.",
        "screening": "Screening: the protocol's inclusion criteria.",
        "instructions": "Instructions, in the instrument's words.",
        "practice": "A practice trial, without feedback.",
        "trial": "A trial. Both answers look alike; the bar with the question stays in view.",
        "stop": "Stop, which is offered on every screen, asks what is to become of the answers.",
        "strategy": "Debrief D1, which can be skipped.",
        "demographics": "Debrief D2, which can be skipped.",
        "thanks": "Thanks, when every row is stored. Codes and links stand apart from the instrument's lines.",
    },
    "What may come in between": {
        "opening": "The line is gone while the page asks where the session stands; `creating` looks the same.",
        "waiting": "The line is gone and the texts that were sent ahead are used up.",
        "finishing": "The line is gone at the end; `stopping` looks the same.",
        "elsewhere": "A second tab.",
        "feedback": "After a practice trial, if `practice_feedback` is on.",
        "break": "A break, if `break_after` is set.",
        "comment": "A pilot's comment box.",
    },
    "How else it may end": {
        "declined": "Consent is declined: a count for the day is all that is kept.",
        "screened_out": "Someone does not qualify: likewise.",
        "kept": "Stopped, and the answers kept.",
        "deleted": "Stopped, and the answers deleted.",
        "closed": "Someone comes back to a session that cannot be continued (`on_return`, `resume_within_hours`).",
        "unknown": "Someone comes back to a session that the server does not have.",
    },
    "What only the page on disk has": {
        "code": "The code of the invitation, if it is not in the address.",
        "hand-over": "The answers leave the browser as a file.",
        "thanks-on-disk": "Thanks, with the file to be saved again or deleted.",
    },
    "Besides the survey": {
        "withdraw": "The participant's own link, from the thanks.",
        "withdrawn": "After that.",
        "status": "The researcher's page: how many and how far, nothing by condition.",
    },
}


def contents() -> str:
    """Give the page that shows the pictures."""
    lines = [
        "# Screens",
        "",
        "Every screen of the survey, light and dark, on a desktop and on a phone. Made by `scripts/screens` from the",
        "example study in a real browser; the words are those of the built-in protocol.",
    ]
    head = [" | ".join(("", *(f"{device}, {scheme}" for device in DEVICES for scheme in SCHEMES), "")).strip()]
    rule = "|" + "---|" * len(DEVICES) * len(SCHEMES)
    for part, screens in SCREENS.items():
        lines += ["", f"## {part}"]
        for name, sentence in screens.items():
            pictures = [
                f"![{name}, {device}, {scheme}](../pictures/screens/{name}-{device}-{scheme}.webp)"
                for device in DEVICES
                for scheme in SCHEMES
            ]
            lines += ["", f"### `{name}`", "", sentence, "", *head, rule, f"| {' | '.join(pictures)} |"]
    return "\n".join(lines) + "\n"
