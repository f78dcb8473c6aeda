"""Faults: GitHubKit repeats what failed and waits for limits, as against GitHub."""

import os
import time

import httpx
import pytest
from githubkit import GitHub
from githubkit.exception import RequestFailed, SecondaryRateLimitExceeded

from conftest import client

URL = os.environ["FORGEWRIGHT_URL"]
FAULTS = URL + "/_forgewright/worlds/main/faults"


@pytest.fixture
def fault():
    """Adds a rule, and returns a function that tells how often it was used."""

    def add(**rule):
        made = httpx.post(FAULTS, json=rule)
        assert made.status_code == 201, made.text
        return lambda: httpx.get(f"{FAULTS}/{made.json()['id']}").json()["used"]

    yield add
    httpx.delete(FAULTS)


@pytest.fixture
def patient():
    return GitHub("alice-classic", base_url=URL)


def ref(github):
    return github.rest.git.get_ref("acme", "gadgets", "heads/main").parsed_data.ref


def test_two_failures_of_the_server_are_repeated(patient, fault):
    used = fault(operation="get_ref", effect="status", status=502, times=2)
    assert ref(patient) == "refs/heads/main"
    assert used() == 2


def test_the_secondary_limit_is_waited_for(patient, fault):
    used = fault(operation="get_ref", effect="secondary_limit", retry_after=1, times=1)
    begun = time.monotonic()
    assert ref(patient) == "refs/heads/main"
    assert used() == 1
    assert time.monotonic() - begun >= 1


def test_an_exhausted_budget_is_waited_for_until_it_is_whole(patient, fault):
    used = fault(operation="get_ref", effect="primary_limit", reset_after=2, times=1)
    begun = time.monotonic()
    assert ref(patient) == "refs/heads/main"
    assert used() == 1
    assert 1 <= time.monotonic() - begun < 30


def test_without_patience_failures_are_exceptions(fault):
    impatient = client("alice-classic")
    fault(operation="get_ref", effect="status", status=503, times=1)
    with pytest.raises(RequestFailed) as failed:
        ref(impatient)
    assert failed.value.response.status_code == 503
    fault(operation="get_ref", effect="secondary_limit", status=429, retry_after=7, times=1)
    with pytest.raises(SecondaryRateLimitExceeded) as limited:
        ref(impatient)
    assert limited.value.retry_after.total_seconds() == 7
