"""Clients for the tests: GitHubKit with the models of API version 2026-03-10, which are generated
from GitHub's OpenAPI description. `parsed_data` validates a response against them."""

import os
from pathlib import Path

import pytest
from githubkit import AppAuthStrategy, AppInstallationAuthStrategy, GitHub
from githubkit.exception import RequestFailed

KEY = Path(os.environ["CLIENT_KEY"]).read_text()


def client(auth=None):
    return GitHub(auth, base_url=os.environ["FORGEWRIGHT_URL"], auto_retry=False)


@pytest.fixture
def alice():
    return client("alice-classic")


@pytest.fixture
def through():
    return client("alice-through-ci-bot")


@pytest.fixture
def app():
    return client(AppAuthStrategy(6001, KEY))


@pytest.fixture
def installation():
    return client(AppInstallationAuthStrategy(6001, KEY, 7001))


@pytest.fixture
def tip(alice):
    return lambda branch: alice.rest.git.get_ref("acme", "gadgets", f"heads/{branch}").parsed_data.object_.sha


@pytest.fixture
def refused():
    def check(status, call, *arguments, **keywords):
        with pytest.raises(RequestFailed) as error:
            call(*arguments, **keywords)
        assert error.value.response.status_code == status
        return error.value.response.json()["message"]

    return check
