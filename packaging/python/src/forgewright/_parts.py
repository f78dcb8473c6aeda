"""What a test does with a world beside using its API: the clock, the journal, faults, deliveries
and snapshots."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any, cast
from urllib.parse import quote

from ._binary import ForgewrightError
from ._control import Control
from ._types import ClockState, Delivery, Explanation, Fault, JournalEntry, Snapshot

# `list` is a method below, so lists are named here.
Entries = list[JournalEntry]
FaultList = list[Fault]
DeliveryList = list[Delivery]
SnapshotList = list[Snapshot]
Found = list[Any]

#: How many seconds `wait` waits unless told otherwise.
PATIENCE = 10.0


class _Part:
    def __init__(self, control: Control, path: str) -> None:
        self._control = control
        self._path = path

    def _ask(self, method: str, path: str, body: object = None, query: dict[str, Any] | None = None) -> Any:
        return self._control.request(method, self._path + path, body, query)

    def _wait(self, path: str, query: dict[str, Any], timeout: float) -> Found:
        return self._control.wait(self._path + path, query, timeout)


class Clock(_Part):
    """The time of a world."""

    def get(self) -> ClockState:
        return cast(ClockState, self._ask("GET", "/clock"))

    def freeze(self, at: datetime | str | None = None) -> ClockState:
        """Lets the time stand still, at another time if one is given."""
        return self._change({"frozen": True} if at is None else {"frozen": True, "now": _moment(at)})

    def unfreeze(self) -> ClockState:
        """Lets a clock that stood still go on from where it is."""
        return self._change({"frozen": False})

    def set(self, at: datetime | str) -> ClockState:
        return self._change({"now": _moment(at)})

    def advance(self, by: float | timedelta = 0, **units: float) -> ClockState:
        """Leaps by seconds, a timedelta, or the units of one: `advance(hours=1)`."""
        delta = by if isinstance(by, timedelta) else timedelta(seconds=by)
        return self._change({"advance": round((delta + timedelta(**units)).total_seconds())})

    def release(self) -> ClockState:
        """Returns to the time of the system."""
        return cast(ClockState, self._ask("DELETE", "/clock"))

    def _change(self, body: dict[str, Any]) -> ClockState:
        return cast(ClockState, self._ask("PATCH", "/clock", body))


def _moment(at: datetime | str) -> str:
    if isinstance(at, str):
        return at
    # A time without a zone is that of this machine, as everywhere in Python.
    return at.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class Journal(_Part):
    """The requests that were made of a world, and why each was answered so."""

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
    ) -> Entries:
        """The newest first. `path` is the beginning of a path, or a pattern with `*` and `**`; `status`
        404 or "4xx"; `after` the number of a request."""
        query = {"method": method, "path": path, "operation": operation, "status": status, "caller": caller}
        return cast(Entries, self._ask("GET", "/journal", query={**query, "after": after, "per_page": per_page}))

    def get(self, id: int | str) -> JournalEntry:
        """A request by its number or its request id."""
        return cast(JournalEntry, self._ask("GET", f"/journal/{quote(str(id), safe='')}"))

    def wait(self, *, timeout: float = PATIENCE, **wanted: Any) -> JournalEntry:
        """The newest request that fits, as soon as there is one, with the filters of `list`."""
        found = self._wait("/journal", wanted, timeout)
        if found:
            return cast(JournalEntry, found[0])
        lines = [f"  {entry['method']} {entry['path']}: {entry['explanation']['line']}" for entry in self.list(per_page=5)]
        raise _nothing("request", wanted, lines)

    def explain(self, request: object) -> Explanation:
        """Why a request was answered so: by its number, its request id, an answer, or the exception
        that a client raised."""
        return self.get(_request_id(request))["explanation"]

    def clear(self) -> None:
        self._ask("DELETE", "/journal")


def _request_id(request: object) -> int | str:
    if isinstance(request, (int, str)):
        return request
    headers = getattr(getattr(request, "response", request), "headers", None) or {}
    for name, value in dict(headers).items():
        if name.lower() == "x-github-request-id":
            return str(value)
    raise ForgewrightError(
        "a request is named by its number, its X-GitHub-Request-Id, or an answer or exception that has one"
    )


class Faults(_Part):
    """Rules by which requests fail."""

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
        """Adds a rule. `effect` is status, secondary_limit, primary_limit, latency, drop, truncate or
        malformed."""
        given = {name: value for name, value in locals().items() if name != "self" and value is not None}
        return cast(Fault, self._ask("POST", "/faults", given))

    def list(self) -> FaultList:
        return cast(FaultList, self._ask("GET", "/faults"))

    def get(self, id: int) -> Fault:
        return cast(Fault, self._ask("GET", f"/faults/{id}"))

    def delete(self, id: int) -> None:
        self._ask("DELETE", f"/faults/{id}")

    def clear(self) -> None:
        """Deletes all of them."""
        self._ask("DELETE", "/faults")


class Deliveries(_Part):
    """The webhooks of a world."""

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
        """The newest first. `after` and `before` are ids."""
        query = {"event": event, "action": action, "app": app, "status": status, "after": after, "before": before}
        return cast(DeliveryList, self._ask("GET", "/deliveries", query={**query, "per_page": per_page}))

    def get(self, id: int) -> Delivery:
        """One with its whole payload."""
        return cast(Delivery, self._ask("GET", f"/deliveries/{id}"))

    def wait(self, *, timeout: float = PATIENCE, **wanted: Any) -> Delivery:
        """The newest delivery that fits, as soon as there is one, with the filters of `list`."""
        found = self._wait("/deliveries", wanted, timeout)
        if found:
            return cast(Delivery, found[0])
        raise _nothing("delivery", wanted, [_outcome(delivery) for delivery in self.list(per_page=5)])

    def redeliver(self, delivery: int | Delivery) -> Delivery:
        """Sends a webhook again, and returns the new delivery."""
        id = delivery if isinstance(delivery, int) else delivery["id"]
        return cast(Delivery, self._ask("POST", f"/deliveries/{id}/attempts"))

    def pause(self) -> None:
        """Lets webhooks wait."""
        self._ask("PUT", "/delivery", {"paused": True})

    def resume(self) -> None:
        """Sends those that wait."""
        self._ask("PUT", "/delivery", {"paused": False})


def _outcome(delivery: Delivery) -> str:
    action, error = delivery["action"], delivery["error"]
    name = delivery["event"] + (f".{action}" if action else "")
    return f"  {name} to {delivery['app']}: {delivery['status']}" + (f", {error}" if error else "")


def _nothing(kind: str, wanted: dict[str, Any], lines: list[str]) -> ForgewrightError:
    last = "the last were:\n" + "\n".join(lines) if lines else "there was none at all"
    return ForgewrightError(f"no {kind} fits {wanted}; {last}")


class Snapshots(_Part):
    """States of a world to go back to."""

    def make(self, name: str) -> Snapshot:
        """Keeps the current state under a name."""
        return cast(Snapshot, self._ask("PUT", f"/snapshots/{quote(name, safe='')}"))

    def list(self) -> SnapshotList:
        return cast(SnapshotList, self._ask("GET", "/snapshots"))

    def restore(self, name: str) -> None:
        self._ask("POST", f"/snapshots/{quote(name, safe='')}/restore")

    def delete(self, name: str) -> None:
        self._ask("DELETE", f"/snapshots/{quote(name, safe='')}")
