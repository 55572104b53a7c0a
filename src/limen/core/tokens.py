"""What is derived from a session's random token, so that the token itself need not be stored.

A token has 128 bits from the operating system's randomness. What is derived from it by SHA-256 is as hard
to guess, tells nothing about the token, and can be given again to whoever brings the token back.
"""

import base64
import hashlib
from functools import lru_cache

from limen.errors import require


def trial_token(session_token: str, number: int) -> str:
    """Give the opaque token of a trial: 22 characters, another one for every participant."""
    return base64.urlsafe_b64encode(_hash("trial", f"{session_token}/{number}")[:16]).decode().rstrip("=")


def withdrawal_code(session_token: str) -> str:
    """Give the code by which a participant can have everything deleted: 26 small letters and digits."""
    return _base32(_hash("withdrawal", session_token)[:16])


def completion_code(session_token: str) -> str:
    """Give the code that tells a recruitment platform that someone finished: 8 capitals and digits."""
    return _base32(_hash("completion", session_token)[:5]).upper()


@lru_cache(maxsize=1024)
def token_digest(session_token: str) -> str:
    """Give what the store keeps in place of a session's token."""
    return _hash("session", session_token).hex()


def withdrawal_digest(code: str) -> str:
    """Give what the store keeps in place of a withdrawal code; case, blanks and hyphens do not matter."""
    return _hash("code", code.replace("-", "").replace(" ", "").strip().lower()).hex()


def request_digest(request: str) -> str:
    """Give what the store keeps of a request to begin, so that sending it twice begins one session."""
    return _hash("request", request).hex()


def seal_token(session_token: str, request: str) -> str:
    """Give a session's token so that only the request that began the session opens it again."""
    return _mask(session_token.encode(), request).hex()


def unseal_token(sealed: str, request: str) -> str:
    """Give the token back to who sends the request again."""
    return _mask(bytes.fromhex(sealed), request).decode()


def _mask(content: bytes, request: str) -> bytes:
    """Combine with a key as long, of a request that is used for one session only; doing it twice undoes it."""
    key = _hash("seal", request)
    require(len(content) <= len(key), f"a token has at most {len(key)} characters")
    return bytes(a ^ b for a, b in zip(content, key, strict=False))


def _hash(purpose: str, secret: str) -> bytes:
    # what is no text (bytes of a command line, halves of a character) is nobody's secret, but has a digest all the same
    return hashlib.sha256(f"{purpose}/{secret}".encode(errors="replace")).digest()


def _base32(data: bytes) -> str:
    return base64.b32encode(data).decode().rstrip("=").lower()
