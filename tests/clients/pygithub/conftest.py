"""Clients for the tests. They use /api/v3, like PyGithub with a GitHub Enterprise host."""

import os
from pathlib import Path

import github
import pytest

API = os.environ["FORGEWRIGHT_URL"] + "/api/v3"
KEY = Path(os.environ["CLIENT_KEY"]).read_text()


def client(auth=None):
    # A private server needs no pauses between requests, and waiting for a rate limit would
    # take an hour.
    return github.Github(
        auth=auth, base_url=API, seconds_between_requests=None, seconds_between_writes=None, retry=None
    )


def by_token(token):
    return client(github.Auth.Token(token))


def validated(thing):
    """Reads every attribute: PyGithub checks the type of an attribute only when it is read."""
    for name, attribute in vars(thing).items():
        if hasattr(attribute, "value"):
            try:
                attribute.value
            except github.BadAttributeException as wrong:
                raise AssertionError(f"{type(thing).__name__}.{name} is {wrong.actual_value!r}") from wrong
    return thing


@pytest.fixture
def alice():
    return by_token("alice-classic")


@pytest.fixture
def bob():
    return by_token("bob-classic")


@pytest.fixture
def anonymous():
    return client()


@pytest.fixture
def gadgets(alice):
    return alice.get_repo("acme/gadgets")


@pytest.fixture
def tip(gadgets):
    return lambda branch: gadgets.get_git_ref(f"heads/{branch}").object.sha
