"""The control functions of a world: clock, journal, faults, deliveries and snapshots."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any, cast
from urllib.parse import quote

from ._binary import ForgewrightError
from ._control import ControlClient
from ._types import ClockState, Delivery, Explanation, Fault, JournalEntry, Snapshot

# The classes below have a method `list`, which hides the type: hence these aliases.
EntryList = list[JournalEntry]
FaultList = list[Fault]
DeliveryList = list[Delivery]
SnapshotList = list[Snapshot]

#: The default timeout of `wait`, in seconds: the same as that of the npm package.
DEFAULT_TIMEOUT = 4.0

UNITS = ("weeks", "days", "hours", "minutes", "seconds")


class _ControlPart:
    """The base class: sends requests to the control API of one world."""

    def __init__(self, control: ControlClient, path: str) -> None:
        self._control = control
        self._path = path

    def _request(self, method: str, path: str, body: object = None, query: dict[str, Any] | None = None) -> Any:
        return self._control.request(method, self._path + path, body, query)

    def _wait(
        self, path: str, kind: str, query: dict[str, Any], timeout: float, describe: Callable[[Any], str]
    ) -> Any:
        """Returns the newest match, or raises an error that lists the latest items. `describe` returns the line of one."""
        found = self._control.wait(self._path + path, query, timeout)
        if found:
            return found[0]
        filters = {name: value for name, value in query.items() if value is not None}
        latest = [describe(item) for item in self._request("GET", path, query={"per_page": 5})]
        lines = "the latest are:\n" + "\n".join(latest) if latest else "there are none at all"
        raise ForgewrightError(f"no {kind} matched {filters} within {timeout} s; {lines}")


class Clock(_ControlPart):
    """The clock of a world.

    Everything that depends on the time follows it immediately: the expiry of tokens, rate limits, iterations,
    retries of webhooks and every date in a response.
    """

    def get(self) -> ClockState:
        """Returns the clock. It follows the system clock unless it was changed."""
        return cast(ClockState, self._request("GET", "/clock"))

    def freeze(self, at: datetime | str | None = None) -> ClockState:
        """Freezes the clock.

        Args:
            at: The time to set. If omitted, the clock stops at its current time.
        """
        return self._update({"frozen": True} if at is None else {"frozen": True, "now": _timestamp(at)})

    def unfreeze(self) -> ClockState:
        """Unfreezes the clock. It continues from the time at which it was frozen."""
        return self._update({"frozen": False})

    def set(self, at: datetime | str) -> ClockState:
        """Sets the clock.

        Args:
            at: The time to set, between 1970 and 9999. A string is a date and time in ISO 8601; a datetime
                without a time zone is in local time.
        """
        return self._update({"now": _timestamp(at)})

    def advance(self, by: float | timedelta = 0, **units: float) -> ClockState:
        """Advances the clock.

        Args:
            by: The number of seconds, or a timedelta. Negative to set the clock back.
            units: `weeks`, `days`, `hours`, `minutes` and `seconds`, such as `hours=1`. They are added to `by`.

        Raises:
            TypeError: If a unit is unknown or an amount is not a number.
        """
        if not isinstance(by, (int, float, timedelta)):
            raise TypeError(f"expected a number of seconds, a timedelta, or units such as hours=1, not {by!r}")
        for unit, amount in units.items():
            if unit not in UNITS:
                raise TypeError(f"unknown unit `{unit}`; use one of: {', '.join(UNITS)}")
            if not isinstance(amount, (int, float)):
                raise TypeError(f"`{unit}` must be a number, not {amount!r}")
        delta = by if isinstance(by, timedelta) else timedelta(seconds=by)
        return self._update({"advance": round((delta + timedelta(**units)).total_seconds())})

    def release(self) -> ClockState:
        """Sets the clock back to the system clock."""
        return cast(ClockState, self._request("DELETE", "/clock"))

    def _update(self, body: dict[str, Any]) -> ClockState:
        return cast(ClockState, self._request("PATCH", "/clock", body))


def _timestamp(at: datetime | str) -> str:
    if isinstance(at, str):
        return at
    # A datetime without a time zone is in local time, as in the standard library.
    return at.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class Journal(_ControlPart):
    """The requests to a world, with explanations of their responses.

    The journal keeps at most the last 1,000 requests.
    """

    def list(
        self,
        *,
        method: str | None = None,
        path: str | None = None,
        operation: str | None = None,
        status: int | str | None = None,
        caller: str | int | None = None,
        after: int | None = None,
        per_page: int | None = None,
    ) -> EntryList:
        """Returns the requests that match all given filters, the newest first.

        Args:
            method: The HTTP method.
            path: The start of the path, or a pattern with `*` (any part of a segment) and `**` (any part of the
                path).
            operation: The `operationId` of the operation, such as `create_ref`.
            status: The status or status class, such as 404 or "4xx".
            caller: A kind of caller such as `installation`, a login, the slug of an app, the identifier of an
                installation, or a token as shown in the journal.
            after: Only requests after the one with this number.
            per_page: The maximum number of results.
        """
        query = {"method": method, "path": path, "operation": operation, "status": status, "caller": caller}
        return cast(EntryList, self._request("GET", "/journal", query={**query, "after": after, "per_page": per_page}))

    def get(self, id: int | str) -> JournalEntry:
        """Returns one request.

        Args:
            id: The number of the request in the journal, or its request ID.
        """
        return cast(JournalEntry, self._request("GET", f"/journal/{quote(str(id), safe='')}"))

    def wait(
        self,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        method: str | None = None,
        path: str | None = None,
        operation: str | None = None,
        status: int | str | None = None,
        caller: str | int | None = None,
        after: int | None = None,
        per_page: int | None = None,
    ) -> JournalEntry:
        """Returns the newest matching request. If there is none, waits for one.

        The other arguments are the filters of `list`.

        Args:
            timeout: The maximum time to wait, in seconds.

        Raises:
            ForgewrightError: If no request matches in that time. The message lists the latest requests.
        """
        query = {"method": method, "path": path, "operation": operation, "status": status, "caller": caller}
        query = {**query, "after": after, "per_page": per_page}
        return cast(JournalEntry, self._wait("/journal", "request", query, timeout, _request_line))

    def explain(self, request: object) -> Explanation:
        """Explains the response to a request.

        Args:
            request: The number of the request in the journal, its request ID, the response, or the exception
                that a client raised.
        """
        return self.get(_request_id(request))["explanation"]

    def clear(self) -> None:
        """Deletes all entries. The numbering continues."""
        self._request("DELETE", "/journal")


def _request_id(request: object) -> int | str:
    if isinstance(request, (int, str)):
        return request
    headers = getattr(getattr(request, "response", request), "headers", None) or {}
    for name, value in dict(headers).items():
        if name.lower() == "x-github-request-id":
            return str(value)
    raise ForgewrightError(
        "cannot identify the request; pass its number, its X-GitHub-Request-Id, or a response or exception with "
        "that header"
    )


def _request_line(entry: JournalEntry) -> str:
    return f"  {entry['method']} {entry['path']}: {entry['explanation']['line']}"


class Faults(_ControlPart):
    """The faults of a world: rules that make requests fail.

    The first fault that applies to a request determines the outcome.
    """

    def add(
        self,
        effect: str,
        *,
        operation: str | None = None,
        method: str | None = None,
        path: str | None = None,
        caller: str | None = None,
        probability: float | None = None,
        skip: int | None = None,
        times: int | None = None,
        status: int | None = None,
        message: str | None = None,
        retry_after: int | None = None,
        reset_after: int | None = None,
        latency_ms: int | None = None,
        after: bool | None = None,
    ) -> Fault:
        """Adds a fault: which requests fail, how often and how.

        Args:
            effect: `status` (a response with `status` and GitHub's body for it), `secondary_limit` (the secondary
                rate limit, with `Retry-After`), `primary_limit` (the primary rate limit, exhausted until
                `X-RateLimit-Reset`), `latency` (the usual response, delayed by `latency_ms`), `drop` (the
                connection is closed without a response), `truncate` (the connection is closed in the middle of
                the body) or `malformed` (a complete response whose JSON is cut off).
            operation: The `operationId` of the operation, such as `create_ref`. If omitted, all operations.
            method: The HTTP method. If omitted, all methods.
            path: The pattern of the paths. `*` matches any part of a segment, `**` any part of the path. If
                omitted, all paths.
            caller: The login of a user, the slug of an app, or a kind of caller such as `installation`. If
                omitted, all callers.
            probability: The probability with which the fault is used for a matching request: above 0 and at
                most 1. If omitted, 1.
            skip: The number of matching requests that pass before the fault is first used. If omitted, 0.
            times: The maximum number of times that the fault is used. If omitted, there is no limit.
            status: The HTTP status of the response, from 400 to 599. Required for the effect `status`.
            message: The message of the response. If omitted, GitHub's message. Only for the effect `status`.
            retry_after: The value of `Retry-After`, in seconds. Only for the effects `secondary_limit` (60 if
                omitted) and `status`.
            reset_after: The number of seconds until the rate limit resets. Only for the effect `primary_limit`.
                If omitted, 3600.
            latency_ms: The delay of the response, in milliseconds. Required for the effect `latency`, optional
                for all others.
            after: Whether the request is processed before it fails, so that only its response is lost.

        Raises:
            ForgewrightError: If the fault is invalid.
        """
        given = {name: value for name, value in locals().items() if name != "self" and value is not None}
        return cast(Fault, self._request("POST", "/faults", given))

    def list(self) -> FaultList:
        """Returns all faults, in the order of their creation."""
        return cast(FaultList, self._request("GET", "/faults"))

    def get(self, id: int) -> Fault:
        """Returns one fault and how often it was used."""
        return cast(Fault, self._request("GET", f"/faults/{id}"))

    def delete(self, id: int) -> None:
        """Deletes one fault."""
        self._request("DELETE", f"/faults/{id}")

    def clear(self) -> None:
        """Deletes all faults."""
        self._request("DELETE", "/faults")


class Deliveries(_ControlPart):
    """The webhook deliveries of a world, to all apps."""

    def list(
        self,
        *,
        event: str | None = None,
        action: str | None = None,
        app: str | None = None,
        status: str | None = None,
        after: int | None = None,
        before: int | None = None,
        per_page: int | None = None,
    ) -> DeliveryList:
        """Returns the deliveries that match all given filters, the newest first, with one entry per attempt.

        Args:
            event: The name of the event, such as `push`.
            action: The action of the event, such as `opened`.
            app: The slug of the app that receives the webhook.
            status: `pending`, `delivered`, `failed` or `recorded`.
            after: Only deliveries with an `id` greater than this.
            before: Only deliveries with an `id` less than this.
            per_page: The maximum number of results.
        """
        _check_event(event)
        query = {"event": event, "action": action, "app": app, "status": status, "after": after, "before": before}
        return cast(DeliveryList, self._request("GET", "/deliveries", query={**query, "per_page": per_page}))

    def get(self, id: int) -> Delivery:
        """Returns one delivery with its full payload."""
        return cast(Delivery, self._request("GET", f"/deliveries/{id}"))

    def wait(
        self,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        event: str | None = None,
        action: str | None = None,
        app: str | None = None,
        status: str | None = None,
        after: int | None = None,
        before: int | None = None,
        per_page: int | None = None,
    ) -> Delivery:
        """Returns the newest matching delivery. If there is none, waits for one.

        The other arguments are the filters of `list`.

        Args:
            timeout: The maximum time to wait, in seconds.

        Raises:
            ForgewrightError: If no delivery matches in that time. The message lists the latest deliveries.
        """
        _check_event(event)
        query = {"event": event, "action": action, "app": app, "status": status, "after": after, "before": before}
        query = {**query, "per_page": per_page}
        return cast(Delivery, self._wait("/deliveries", "delivery", query, timeout, _outcome))

    def redeliver(self, delivery: int | Delivery) -> Delivery:
        """Sends a webhook again, to the current webhook URL of the app, and returns the new delivery.

        Args:
            delivery: A delivery or its `id`.
        """
        id = delivery if isinstance(delivery, int) else delivery["id"]
        return cast(Delivery, self._request("POST", f"/deliveries/{id}/attempts"))

    def pause(self) -> None:
        """Pauses the delivery of webhooks. They stay pending until `resume`."""
        self._request("PUT", "/delivery", {"paused": True})

    def resume(self) -> None:
        """Resumes the delivery of webhooks and sends the pending ones."""
        self._request("PUT", "/delivery", {"paused": False})


def _outcome(delivery: Delivery) -> str:
    action, error = delivery["action"], delivery["error"]
    name = delivery["event"] + (f".{action}" if action else "")
    return f"  {name} to {delivery['app']}: {delivery['status']}" + (f", {error}" if error else "")


def _check_event(event: str | None) -> None:
    name, _, action = (event or "").partition(".")
    if action:
        raise TypeError(f'no event is named "{event}"; use event="{name}", action="{action}"')


class Snapshots(_ControlPart):
    """The saved states of a world."""

    def make(self, name: str) -> Snapshot:
        """Saves the current state of the world. Replaces an existing snapshot of that name.

        Args:
            name: The name of the snapshot. `loaded` is the snapshot that `World.reset` restores.
        """
        return cast(Snapshot, self._request("PUT", f"/snapshots/{quote(name, safe='')}"))

    def list(self) -> SnapshotList:
        """Returns all snapshots, ordered by name."""
        return cast(SnapshotList, self._request("GET", "/snapshots"))

    def restore(self, name: str) -> None:
        """Restores the state of a snapshot.

        Also resets the rate limits and the clock, deletes the faults and the journal, cancels deliveries in progress
        and resumes paused ones.
        """
        self._request("POST", f"/snapshots/{quote(name, safe='')}/restore")

    def delete(self, name: str) -> None:
        """Deletes a snapshot."""
        self._request("DELETE", f"/snapshots/{quote(name, safe='')}")
