"""The gate in front of every page: who may ask, from where, and how much they may send.

The page is for one person on one machine. A request passes only if it names this server as its
host (a foreign name that resolves to this machine does not), comes from a page of this server, and
carries the cookie that the token in the address was exchanged for, which works once. The same holds
for websockets, of which there are none: all are refused.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import MutableMapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 2 * 2**20  # of a request that is not an upload
UPLOADS = "/upload"
_SAFE = ("GET", "HEAD")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Gyges Studio: refused</title>'
    "<body><h1>Refused</h1><p>{}</p></body></html>"
)


# A page that has the browser go on by itself: a redirect would not carry the new cookie, which is
# withheld from whatever another site or a file began.
_ENTERED = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Gyges Studio</title>'
    '<link rel="icon" href="data:,"><meta http-equiv="refresh" content="0; url=/">'
    '<body><p><a href="/">Go on</a></p></body></html>'
)


@dataclass(frozen=True, slots=True)
class Keys:
    """The secrets of one running studio: tokens that work once, and the cookie that they give."""

    session: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    _unused: set[str] = field(default_factory=set, repr=False)

    def new_token(self) -> str:
        """A token for an address; it can be exchanged once."""
        token = secrets.token_urlsafe(32)
        self._unused.add(token)
        return token

    def take(self, given: str) -> bool:
        """Use up a token, if it is one."""
        for token in [one for one in self._unused if _same(given, one)]:
            self._unused.discard(token)
            return True
        return False


class UploadTooLargeError(Exception):
    """More bytes came than a request may have."""

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self.most = most

    def answer(self) -> Response:
        """How it is refused."""
        return _refused(
            413,
            f"At most {self.most:,} bytes can be sent here. Put a larger file into the working "
            f"folder, and open it by its path.",
        )


class Gate:
    """An ASGI application that refuses what must not reach the one behind it."""

    def __init__(self, behind: ASGIApp, *, keys: Keys, port: int, most_uploaded: int) -> None:
        self._behind = behind
        self._keys = keys
        self._hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        self._cookie = f"gyges_studio_{port}"
        self._most_uploaded = most_uploaded

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, exchange its token for a cookie, or hand it on."""
        if scope["type"] == "lifespan":
            await self._behind(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        refusal = self._wrong_place(scope) or self._exchanged(scope) or self._refusal(scope)
        if refusal is not None:
            await _with_headers(refusal)(scope, receive, send)
            return
        await self._hand_on(scope, receive, send)

    def _wrong_place(self, scope: Scope) -> Response | None:
        """A refusal of a request for another host; a name of it may resolve to this machine."""
        hosts = Headers(scope=scope).getlist("host")
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return _refused(421, "This address belongs to another host.")
        return None

    def _exchanged(self, scope: Scope) -> Response | None:
        """A page with the cookie for a token that was not used; None for any other request.

        A request with the token may come from any page: a file that this program wrote opens it.
        """
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[-1]
        if scope["method"] != "GET" or not given or not self._keys.take(given):
            return None
        answer = HTMLResponse(_ENTERED)
        answer.set_cookie(
            self._cookie, self._keys.session, httponly=True, samesite="strict", path="/"
        )
        return answer

    def _refusal(self, scope: Scope) -> Response | None:
        """Why a request is refused; None if it may pass."""
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        own = f"http://{headers['host']}"
        if origin is not None and origin != own:
            return _refused(403, "Another site sent this request.")
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return _refused(403, "Another site sent this request.")
        if scope["method"] not in _SAFE and origin is None:
            return _refused(403, "The request does not say which page sent it.")
        if not _same(_cookie(scope, self._cookie), self._keys.session):
            return _refused(
                403,
                "Open the address that `gyges studio` printed: it contains the key to this page. "
                "It works once; start the studio again for another browser.",
            )
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self._most(scope):
            return UploadTooLargeError(self._most(scope)).answer()
        return None

    def _most(self, scope: Scope) -> int:
        return self._most_uploaded if scope["path"] == UPLOADS else MOST_BYTES

    async def _hand_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, counting its bytes, and add the headers to its answer."""
        most, seen = self._most(scope), 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > most:
                raise UploadTooLargeError(most)
            return message

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add_headers(message)
            await send(message)

        await self._behind(scope, counted, guarded)


def _refused(code: int, why: str) -> Response:
    return HTMLResponse(_PAGE.format(why), status_code=code, headers={"Connection": "close"})


def _same(given: str, known: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), known.encode())


def _cookie(scope: Scope, name: str) -> str:
    try:
        found = SimpleCookie(Headers(scope=scope).get("cookie", ""))
    except CookieError:
        return ""
    return found[name].value if name in found else ""


def _with_headers(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers[name] = value
    return response


def _add_headers(message: MutableMapping[str, Any]) -> None:
    """Add the headers that an answer does not set itself."""
    held = list(message.get("headers", []))
    names = {bytes(name).lower() for name, _ in held}
    held += [
        (name.lower().encode(), value.encode())
        for name, value in HEADERS.items()
        if name.lower().encode() not in names
    ]
    message["headers"] = held
