"""The pytest fixtures: `forge`, an isolated world for each test, and `forge_session`, their server."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from . import Forge, World, connect, start
from ._world import WorldSource

#: The variable with the URL of a running server.
SERVER_VARIABLE = "FORGEWRIGHT_SERVER"

_SHARED_SERVER = pytest.StashKey[Forge]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("forgewright_world", "the path of the world file, relative to the root of the project", default="")
    parser.addini(
        "forgewright_one_server", "whether all processes of pytest-xdist share one server", type="bool", default=False
    )


def pytest_configure(config: pytest.Config) -> None:
    # The workers of pytest-xdist inherit the variable.
    if config.getini("forgewright_one_server") and SERVER_VARIABLE not in os.environ:
        server = start(_configured_world(config))
        config.stash[_SHARED_SERVER] = server
        os.environ[SERVER_VARIABLE] = server.url


def pytest_unconfigure(config: pytest.Config) -> None:
    server = config.stash.get(_SHARED_SERVER, None)
    if server:
        os.environ.pop(SERVER_VARIABLE, None)
        server.stop()


def _configured_world(config: pytest.Config) -> WorldSource | None:
    path = config.getini("forgewright_world")
    return config.rootpath / path if path else None


@pytest.fixture(scope="session")
def forge_world(pytestconfig: pytest.Config) -> WorldSource | None:
    """The world file of the tests, as its path, its text or a dictionary.

    Set the option `forgewright_world`, or override this fixture. None is the world that the server was started
    with: the demo world, unless the server was already running.
    """
    return None if SERVER_VARIABLE in os.environ else _configured_world(pytestconfig)


@pytest.fixture(scope="session")
def forge_session(forge_world: WorldSource | None) -> Iterator[Forge]:
    """The server of this session and its world `main`."""
    running = os.environ.get(SERVER_VARIABLE)
    with connect(running) if running else start(forge_world) as server:
        yield server


@pytest.fixture
def forge(forge_session: Forge, forge_world: WorldSource | None) -> Iterator[World]:
    """An isolated world for this test."""
    # A server that was started for this session has already loaded the world.
    with forge_session.world(forge_world if SERVER_VARIABLE in os.environ else None) as world:
        yield world
