"""The participant's page: the built file with what it needs put into its placeholders, and its security policy."""

import base64
import hashlib
import re
from html import escape
from importlib import resources
from pathlib import Path

from limen.core.blinding import BlindedStudy
from limen.errors import NotReadyError
from limen.survey.wire import Boot, StaticBoot, encode

PLACEHOLDER = "__LIMEN_BOOT__"
FIRST_SCREEN = "__LIMEN_FIRST__"

_BOOT = re.compile(rf'(<script\b[^>]*id="limen-boot"[^>]*>)\s*{PLACEHOLDER}\s*(</script>)')
_INLINE = re.compile(r"<(script|style)\b([^>]*)>(.*?)</\1\s*>", re.DOTALL | re.IGNORECASE)
_NOT_IN_HTML = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def read_built_page(other: Path | None = None) -> str:
    """Give the page as it was built, or another file; raise NotReadyError when it is not there."""
    file = resources.files("limen.survey") / "built" / "page.html" if other is None else other
    try:
        return checked_page(file.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError) as problem:
        raise NotReadyError("the participant's page is not built; run scripts/build-page") from problem


def checked_page(built: str) -> str:
    """Give the page back if it has exactly one placeholder; raise NotReadyError otherwise."""
    if len(_BOOT.findall(built)) != 1:
        raise NotReadyError("the participant's page has no placeholder for the study; run scripts/build-page again")
    return built


def fill_page(built: str, boot: Boot | StaticBoot) -> str:
    """Put the study into the page's placeholder, as JSON that no HTML parser can mistake for a tag.

    A page from a server has its first screen as HTML too, to be read while the rest is on its way. The one on disk
    begins with another screen for those who have no code.
    """
    first = first_screen(boot.study) if isinstance(boot, Boot) else ""
    text = encode(boot).decode()
    for character, escaped in _NOT_IN_HTML.items():
        text = text.replace(character, escaped)
    return _BOOT.sub(lambda found: found[1] + text + found[2], built.replace(FIRST_SCREEN, first))


def first_screen(study: BlindedStudy) -> str:
    """Give the consent as the page shows it, with buttons that wait for the page's script."""
    words = study.wording.consent
    paragraphs = "".join(f"<p>{escape(text)}</p>" for text in words.paragraphs)
    buttons = (
        f'<button class="primary" disabled>{escape(words.agree)}</button>'
        f"<button disabled>{escape(words.decline)}</button>"
    )
    return f'<h1 class="label">{escape(words.title)}</h1>{paragraphs}<div class="actions">{buttons}</div>'


def security_policy(built: str, *, connect: str, form: str) -> str:
    """Give a content security policy under which only the page's own script and style run."""
    hashes: dict[str, list[str]] = {"script": [], "style": []}
    for tag, attributes, content in _INLINE.findall(built):
        if "application/json" not in attributes:
            digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
            hashes[tag.lower()].append(f"'sha256-{digest}'")
    allowed = {kind: " ".join(found) or "'none'" for kind, found in hashes.items()}
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {allowed['script']}",
            f"style-src {allowed['style']}",
            "img-src data:",
            f"connect-src {connect}",
            f"form-action {form}",
            "base-uri 'none'",
        )
    )
