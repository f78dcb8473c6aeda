"""A client of the control API, with a connection for each request, so that threads can share it."""

from __future__ import annotations

import http.client
import json
import math
import ssl
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

from ._binary import ForgewrightError

#: How many seconds the server holds a request back at most.
LONGEST_WAIT = 60


class Control:
    def __init__(self, origin: str, token: str | None = None, authority: str | None = None) -> None:
        self._origin = origin
        self._token = token
        self._trust = ssl.create_default_context(cafile=authority) if origin.startswith("https:") else None

    def request(
        self,
        method: str,
        path: str,
        body: object = None,
        query: Mapping[str, object] | None = None,
        timeout: float = 60,
    ) -> Any:
        """Sends a request and returns the body of the answer."""
        given = {name: value for name, value in (query or {}).items() if value is not None}
        target = f"/_forgewright/worlds{path}" + (f"?{urlencode(given)}" if given else "")
        connection = self._connection(timeout)
        headers = {"Content-Type": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        try:
            connection.request(method, target, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            status, text = response.status, response.read().decode()
        except (OSError, http.client.HTTPException) as error:
            raise ForgewrightError(f"the server at {self._origin} does not answer: {error}") from error
        finally:
            connection.close()
        if status >= 400:
            raise refusal(f"{method} {target}", status, text)
        return json.loads(text) if text else None

    def wait(self, path: str, query: Mapping[str, object], timeout: float) -> list[Any]:
        """Lists until something is in the list, or until the time is over: then it is empty."""
        until = time.monotonic() + timeout
        while True:
            left = max(0, math.ceil(until - time.monotonic()))
            wait = min(left, LONGEST_WAIT)
            found: list[Any] = self.request("GET", path, query={**query, "wait": wait}, timeout=wait + 60)
            if found or left <= LONGEST_WAIT:
                return found

    def _connection(self, timeout: float) -> http.client.HTTPConnection:
        address = urlsplit(self._origin)
        host, port = address.hostname or "", address.port
        if self._trust:
            return http.client.HTTPSConnection(host, port, timeout=timeout, context=self._trust)
        return http.client.HTTPConnection(host, port, timeout=timeout)


def refusal(request: str, status: int, text: str) -> ForgewrightError:
    """The answer with which the control API refused a request, in words."""
    message = text.strip()
    try:
        failure = json.loads(text)
        problems = failure.get("errors") or []
        causes = [problem.get("message") or f"{problem['field']}: {problem['code']}" for problem in problems]
        message = "\n".join(causes) or failure["message"]
    except (ValueError, KeyError, AttributeError):
        pass  # Not from the control API: a proxy, or a server without it.
    error = ForgewrightError(f"{message or 'no reason given'} ({request} was answered with {status})")
    error.status = status
    return error
