"""A client of the control API. It opens a connection for each request, so that threads can share it."""

from __future__ import annotations

import http.client
import json
import math
import ssl
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

from ._binary import ForgewrightError

#: The maximum time that a request to the control API waits, in seconds.
MAX_WAIT = 60


class ControlClient:
    def __init__(self, origin: str, token: str | None = None, authority: str | None = None) -> None:
        self._origin = origin
        self._token = token
        self._ssl_context = ssl.create_default_context(cafile=authority) if origin.startswith("https:") else None

    def request(
        self,
        method: str,
        path: str,
        body: object = None,
        query: Mapping[str, object] | None = None,
        timeout: float = 60,
    ) -> Any:
        """Sends a request and returns the body of the response."""
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
            raise ForgewrightError(f"the server at {self._origin} does not respond: {error}") from error
        finally:
            connection.close()
        if status >= 400:
            raise control_error(f"{method} {target}", status, text)
        return json.loads(text) if text else None

    def wait(self, path: str, query: Mapping[str, object], timeout: float) -> list[Any]:
        """Returns the list as soon as it is not empty, or an empty list after `timeout` seconds."""
        left = timeout
        found: list[Any]
        while left > 0:
            seconds = min(left, MAX_WAIT)
            try:
                # The control API only waits for whole seconds, so the client ends the request.
                found = self.request("GET", path, query={**query, "wait": math.ceil(seconds)}, timeout=seconds)
            except ForgewrightError as error:
                if not isinstance(error.__cause__, TimeoutError):
                    raise
            else:
                if found:
                    return found
            left -= MAX_WAIT
        found = self.request("GET", path, query=query)
        return found

    def _connection(self, timeout: float) -> http.client.HTTPConnection:
        address = urlsplit(self._origin)
        host, port = address.hostname or "", address.port
        if self._ssl_context:
            return http.client.HTTPSConnection(host, port, timeout=timeout, context=self._ssl_context)
        return http.client.HTTPConnection(host, port, timeout=timeout)


def control_error(request: str, status: int, text: str) -> ForgewrightError:
    """Returns the error for an error response of the control API."""
    message = text.strip()
    try:
        failure = json.loads(text)
        problems = failure.get("errors") or []
        causes = [problem.get("message") or f"{problem['field']}: {problem['code']}" for problem in problems]
        message = "\n".join(causes) or failure["message"]
    except (ValueError, KeyError, AttributeError):
        pass  # Not a response of the control API, but of a proxy or another server.
    error = ForgewrightError(f"{message or 'no error message'} ({request} returned {status})")
    error.status = status
    return error
