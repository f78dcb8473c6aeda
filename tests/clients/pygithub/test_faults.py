"""Faults: GithubRetry, which PyGithub uses by default, repeats what failed and waits for limits,
as against GitHub."""

import json
import time
from urllib.request import Request, urlopen

import github
import pytest

from conftest import API

FAULTS = API.removesuffix("/api/v3") + "/_forgewright/worlds/main/faults"


def ask(method, path="", body=None):
    data = json.dumps(body).encode() if body is not None else None
    with urlopen(Request(FAULTS + path, data=data, method=method)) as answer:
        return json.loads(answer.read() or "null")


@pytest.fixture
def fault():
    """Adds a rule, and returns a function that tells how often it was used."""

    def add(**rule):
        made = ask("POST", body=rule)
        return lambda: ask("GET", f"/{made['id']}")["used"]

    yield add
    ask("DELETE")


@pytest.fixture
def patient():
    retry = github.GithubRetry(total=5, backoff_factor=0.01)
    auth = github.Auth.Token("alice-classic")
    return github.Github(
        auth=auth, base_url=API, seconds_between_requests=None, seconds_between_writes=None, retry=retry
    )


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_two_failures_of_the_server_are_repeated(patient, fault, status):
    used = fault(operation="get_repository", effect="status", status=status, times=2)
    assert patient.get_repo("acme/gadgets").id == 2002
    assert used() == 2


def test_a_connection_without_an_answer_is_tried_again(patient, fault):
    used = fault(operation="get_repository", effect="drop", times=1)
    assert patient.get_repo("acme/gadgets").id == 2002
    assert used() == 1


def test_the_secondary_limit_is_waited_for(patient, fault):
    used = fault(operation="get_repository", effect="secondary_limit", retry_after=1, times=1)
    begun = time.monotonic()
    assert patient.get_repo("acme/gadgets").id == 2002
    assert used() == 1
    assert time.monotonic() - begun >= 1


def test_an_exhausted_budget_is_waited_for_until_it_is_whole(patient, fault):
    used = fault(operation="get_repository", effect="primary_limit", reset_after=2, times=1)
    begun = time.monotonic()
    assert patient.get_repo("acme/gadgets").id == 2002
    assert used() == 1
    assert 1 <= time.monotonic() - begun < 30


def test_without_patience_the_limits_are_exceptions_of_their_own(alice, fault):
    fault(operation="get_repository", effect="secondary_limit", times=1)
    with pytest.raises(github.RateLimitExceededException):
        alice.get_repo("acme/gadgets")
    fault(operation="get_repository", effect="primary_limit", times=1)
    with pytest.raises(github.RateLimitExceededException):
        alice.get_repo("acme/gadgets")
