"""What the control API answers, as the dictionaries that it is."""

from __future__ import annotations

from typing import Any, TypedDict


class ClockState(TypedDict):
    """The time of a world."""

    now: str
    frozen: bool
    #: How many seconds it is ahead of the time of the system.
    offset: int


class Advice(TypedDict):
    """A change that would help."""

    action: str
    target: str
    value: str
    sentence: str


class Step(TypedDict):
    """One decision on a request."""

    check: str
    subject: str
    needed: str | None
    found: str | None
    #: passed, refused or hidden
    outcome: str
    sentence: str
    advice: list[Advice]


class Explanation(TypedDict):
    """The decisions on a request in their order, and all of them as one line."""

    line: str
    steps: list[Step]


class Caller(TypedDict):
    """Who asked."""

    kind: str
    login: str | None
    app_id: int | None
    app_slug: str | None
    installation_id: int | None
    token: str | None


class Header(TypedDict):
    name: str
    value: str


class Body(TypedDict):
    bytes: int
    text: str | None
    truncated: bool


class Message(TypedDict):
    """The headers and the body of a request or an answer."""

    headers: list[Header]
    body: Body


class JournalEntry(TypedDict):
    """A request, its answer, and why it was answered so."""

    id: int
    request_id: str
    at: str
    microseconds: int
    method: str
    path: str
    operation: str | None
    caller: Caller
    status: int
    cache: str | None
    request: Message
    answer: Message
    explanation: Explanation


class Fault(TypedDict):
    """A rule by which requests fail."""

    id: int
    operation: str | None
    method: str | None
    path: str | None
    caller: str | None
    probability: float
    skip: int
    times: int | None
    effect: str
    status: int | None
    message: str | None
    retry_after: int | None
    reset_after: int | None
    latency_ms: int
    after: bool
    #: How many requests it applied to, also those that passed.
    matched: int
    #: How often it was used.
    used: int
    last_used_at: str | None
    created_at: str


class DeliveryRequest(TypedDict):
    url: str | None
    headers: dict[str, str] | None
    payload: Any


class DeliveryResponse(TypedDict):
    status: int
    headers: dict[str, str]
    body: str


class Delivery(TypedDict):
    """A webhook, and what became of one attempt to deliver it."""

    id: int
    guid: str
    app: str
    event: str
    action: str | None
    installation_id: int | None
    repository_id: int | None
    #: pending, delivered, failed, or recorded if the app has no address
    status: str
    redelivery: bool
    attempt: int
    created_at: str
    next_attempt_at: str | None
    delivered_at: str | None
    duration_ms: int | None
    error: str | None
    request: DeliveryRequest
    response: DeliveryResponse | None


class Snapshot(TypedDict):
    """A state of a world that was kept."""

    name: str
    created_at: str
    bytes: int


class WorldEntry(TypedDict):
    """A world in the list of worlds."""

    name: str
    url: str
    created_at: str
