"""Injected faults: GitHubKit retries failed requests and waits for rate limits."""

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
    """Adds a rule; returns a function that reads how often the rule was used."""

    def add(**rule):
        created = httpx.post(FAULTS, json=rule)
        assert created.status_code == 201, created.text
        return lambda: httpx.get(f"{FAULTS}/{created.json()['id']}").json()["used"]

    yield add
    httpx.delete(FAULTS)


@pytest.fixture
def patient():
    return GitHub("alice-classic", base_url=URL)


def ref(github):
    return github.rest.git.get_ref("acme", "gadgets", "heads/main").parsed_data.ref


def test_server_errors_are_retried(patient, fault):
    used = fault(operation="get_ref", effect="status", status=502, times=2)
    assert ref(patient) == "refs/heads/main"
    assert used() == 2


def test_the_client_waits_for_the_secondary_rate_limit(patient, fault):
    used = fault(operation="get_ref", effect="secondary_limit", retry_after=1, times=1)
    started = time.monotonic()
    assert ref(patient) == "refs/heads/main"
    assert used() == 1
    assert time.monotonic() - started >= 1


def test_the_client_waits_for_the_primary_rate_limit_to_reset(patient, fault):
    used = fault(operation="get_ref", effect="primary_limit", reset_after=2, times=1)
    started = time.monotonic()
    assert ref(patient) == "refs/heads/main"
    assert used() == 1
    assert 1 <= time.monotonic() - started < 30


def test_failures_raise_exceptions_without_retries(fault):
    impatient = client("alice-classic")
    fault(operation="get_ref", effect="status", status=503, times=1)
    with pytest.raises(RequestFailed) as failed:
        ref(impatient)
    assert failed.value.response.status_code == 503
    fault(operation="get_ref", effect="secondary_limit", status=429, retry_after=7, times=1)
    with pytest.raises(SecondaryRateLimitExceeded) as limited:
        ref(impatient)
    assert limited.value.retry_after.total_seconds() == 7
