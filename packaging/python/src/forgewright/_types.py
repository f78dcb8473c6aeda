"""The types of the control API's responses, which are dictionaries."""

from __future__ import annotations

from typing import Any, TypedDict


class ClockState(TypedDict):
    """The state of a clock."""

    now: str
    """The current time of the world."""
    frozen: bool
    """Whether the clock is frozen."""
    offset: int
    """The number of seconds by which the clock is ahead of the system clock. Negative if it is behind."""


class Advice(TypedDict):
    """A change that would let a request pass a check."""

    action: str
    """The kind of change, such as `add_scope`."""
    target: str
    """What to change: `token`, or the name of the resource."""
    value: str
    """The value to add or set, such as `repo`. Empty if the action needs none."""
    sentence: str
    """The advice as text."""


class Step(TypedDict):
    """A decision about a request."""

    check: str
    """The kind of check."""
    subject: str
    """What the check was applied to, such as `repository acme/secret`."""
    needed: str | None
    """What the request needs to pass the check."""
    found: str | None
    """What the check found."""
    outcome: str
    """`passed`, `refused` with a reason in the response, or `hidden` as if the resource did not exist."""
    sentence: str
    """The decision as text."""
    advice: list[Advice]
    """The changes that would let the same request pass the check. Any one of them suffices."""


class Explanation(TypedDict):
    """The decisions about a request, in order."""

    line: str
    """The whole explanation in one line."""
    steps: list[Step]
    """The decisions."""


class Caller(TypedDict):
    """The caller of a request."""

    kind: str
    """`anonymous`, `classic`, `oauth`, `fine_grained`, `app_user`, `installation`, `app` or `unknown`."""
    login: str | None
    """The login of the user on whose behalf the request was made."""
    app_id: int | None
    """The identifier of the app."""
    app_slug: str | None
    """The slug of the app."""
    installation_id: int | None
    """The identifier of the installation that the token belongs to."""
    token: str | None
    """The kind of credential and its last four characters, such as `ghs_…3f2a`."""


class Header(TypedDict):
    """A header of a request or a response."""

    name: str
    """The name of the header, in lower case."""
    value: str
    """The value of the header. Credentials are masked."""


class Body(TypedDict):
    """The body of a request or a response."""

    bytes: int
    """The size of the body as sent."""
    text: str | None
    """The beginning of the body, decompressed. None if it is not text."""
    truncated: bool
    """Whether the body is longer than the part that the journal keeps."""


class Message(TypedDict):
    """The headers and the body of a request or a response."""

    headers: list[Header]
    """The headers in the order in which they were sent."""
    body: Body
    """The body."""


class JournalEntry(TypedDict):
    """A request, its response and the explanation of the response."""

    id: int
    """The number of the entry in the journal. The response has it in `X-Forgewright-Journal`."""
    request_id: str
    """The identifier of the request. The response has it in `X-GitHub-Request-Id`."""
    at: str
    """When the request was made."""
    microseconds: int
    """The time until the response began, in microseconds."""
    method: str
    """The HTTP method in upper case."""
    path: str
    """The path and query of the request, relative to the URL of the world."""
    operation: str | None
    """The `operationId` of the called operation. None if the path has none."""
    caller: Caller
    """The caller of the request."""
    status: int
    """The HTTP status of the response."""
    cache: str | None
    """Whether the response came from the cache: `hit` or `miss`. None if the request is not cacheable."""
    request: Message
    """The headers and the body of the request."""
    answer: Message
    """The headers and the body of the response."""
    explanation: Explanation
    """The explanation of the response."""


class Fault(TypedDict):
    """A fault, which is a rule that makes requests fail, and how often it was used."""

    id: int
    """The identifier of the fault."""
    operation: str | None
    """The operation that the fault applies to. None for all operations."""
    method: str | None
    """The HTTP method that the fault applies to. None for all methods."""
    path: str | None
    """The pattern of the paths that the fault applies to. None for all paths."""
    caller: str | None
    """The caller that the fault applies to. None for all callers."""
    probability: float
    """The probability with which the fault is used for a matching request."""
    skip: int
    """The number of matching requests that pass before the fault is first used."""
    times: int | None
    """The maximum number of times that the fault is used. None for no limit."""
    effect: str
    """The effect of the fault, as for `Faults.add`."""
    status: int | None
    """The HTTP status of the response. None if the effect does not set it."""
    message: str | None
    """The message of the response. None for GitHub's message."""
    retry_after: int | None
    """The value of `Retry-After`, in seconds. None if the effect does not set it."""
    reset_after: int | None
    """The number of seconds from the request to `X-RateLimit-Reset`. None if the effect does not set it."""
    latency_ms: int
    """The delay of the response, in milliseconds."""
    after: bool
    """Whether the request is processed before it fails."""
    matched: int
    """The number of matching requests, including those that passed."""
    used: int
    """The number of times that the fault was used."""
    last_used_at: str | None
    """When the fault was last used. None if it never was."""
    created_at: str
    """When the fault was created."""


class DeliveryRequest(TypedDict):
    """The request of a webhook delivery."""

    url: str | None
    """The URL to which the request was sent. None before the attempt, and if the app has no webhook URL."""
    headers: dict[str, str] | None
    """The headers of the request. None before the attempt."""
    payload: Any
    """The payload of the event. None in lists if it is larger than 64 KiB; use `Deliveries.get` instead."""


class DeliveryResponse(TypedDict):
    """The response to a webhook delivery."""

    status: int
    """The HTTP status of the response."""
    headers: dict[str, str]
    """The headers of the response."""
    body: str
    """The first 64 KiB of the response body."""


class Delivery(TypedDict):
    """An attempt to deliver a webhook."""

    id: int
    """The identifier of the delivery."""
    guid: str
    """The identifier of the event. It is the same for every app that receives the event, and for redeliveries."""
    app: str
    """The slug of the app that receives the webhook."""
    event: str
    """The name of the event."""
    action: str | None
    """The action of the event. None for events without actions."""
    installation_id: int | None
    """The identifier of the installation. None for events about the app itself."""
    repository_id: int | None
    """The identifier of the repository. None for events that are not about one repository."""
    status: str
    """`pending` (not sent yet, or being sent), `delivered` (the receiver responded with a status from 200 to 299),
    `failed` (the receiver could not be reached or responded with another status), or `recorded` (not sent, because
    the app has no webhook URL)."""
    redelivery: bool
    """Whether the delivery is a redelivery."""
    attempt: int
    """The number of the attempt, starting at 1. The server's automatic retries increase it."""
    created_at: str
    """When the delivery was created."""
    next_attempt_at: str | None
    """When a pending delivery is due. None if the delivery is not pending."""
    delivered_at: str | None
    """When the attempt ended. None until then."""
    duration_ms: int | None
    """The duration of the attempt, in milliseconds. None until it ends."""
    error: str | None
    """Why the attempt failed. None if it did not."""
    request: DeliveryRequest
    """The request."""
    response: DeliveryResponse | None
    """The response of the receiver. None if there is none."""


class Snapshot(TypedDict):
    """A saved state of a world."""

    name: str
    """The name of the snapshot."""
    created_at: str
    """When the snapshot was created, by the system clock."""
    bytes: int
    """The size of the snapshot, in bytes."""


class WorldEntry(TypedDict):
    """A world in the list of worlds."""

    name: str
    """The name of the world. `main` is the world that the server was started with."""
    url: str
    """The base URL for clients of the world."""
    created_at: str
    """When the world was created."""
