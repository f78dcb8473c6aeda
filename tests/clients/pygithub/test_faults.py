"""Injected faults: GithubRetry, PyGithub's default, retries failed requests and waits for rate
limits."""

import json
import time
from urllib.request import Request, urlopen

import github
import pytest

from conftest import API

FAULTS = API.removesuffix("/api/v3") + "/_forgewright/worlds/main/faults"


def send(method, path="", body=None):
    data = json.dumps(body).encode() if body is not None else None
    with urlopen(Request(FAULTS + path, data=data, method=method)) as response:
        return json.loads(response.read() or "null")


@pytest.fixture
def fault():
    """Adds a rule; returns a function that reads how often the rule was used."""

    def add(**rule):
        created = send("POST", body=rule)
        return lambda: send("GET", f"/{created['id']}")["used"]

    yield add
    send("DELETE")


@pytest.fixture
def patient():
    retry = github.GithubRetry(total=5, backoff_factor=0.01)
    auth = github.Auth.Token("alice-classic")
    return github.Github(
        auth=auth, base_url=API, seconds_between_requests=None, seconds_between_writes=None, retry=retry
    )


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_server_errors_are_retried(patient, fault, status):
    used = fault(operation="get_repository", effect="status", status=status, times=2)
    assert patient.get_repo("acme/gadgets").id == 2002
    assert used() == 2


def test_a_dropped_connection_is_retried(patient, fault):
    used = fault(operation="get_repository", effect="drop", times=1)
    assert patient.get_repo("acme/gadgets").id == 2002
    assert used() == 1


def test_the_client_waits_for_the_secondary_rate_limit(patient, fault):
    used = fault(operation="get_repository", effect="secondary_limit", retry_after=1, times=1)
    started = time.monotonic()
    assert patient.get_repo("acme/gadgets").id == 2002
    assert used() == 1
    assert time.monotonic() - started >= 1


def test_the_client_waits_for_the_primary_rate_limit_to_reset(patient, fault):
    used = fault(operation="get_repository", effect="primary_limit", reset_after=2, times=1)
    started = time.monotonic()
    assert patient.get_repo("acme/gadgets").id == 2002
    assert used() == 1
    assert 1 <= time.monotonic() - started < 30


def test_rate_limits_raise_exceptions_without_retries(alice, fault):
    fault(operation="get_repository", effect="secondary_limit", times=1)
    with pytest.raises(github.RateLimitExceededException):
        alice.get_repo("acme/gadgets")
    fault(operation="get_repository", effect="primary_limit", times=1)
    with pytest.raises(github.RateLimitExceededException):
        alice.get_repo("acme/gadgets")
