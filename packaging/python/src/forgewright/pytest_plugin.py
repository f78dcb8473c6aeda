"""Fixtures of pytest: `forge`, a world for each test, and `forge_session`, the server for all."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from . import Forge, World, connect, start
from ._world import WorldSource

#: The variable with the address of a server that runs already.
SERVER = "FORGEWRIGHT_SERVER"

_OF_THE_RUN = pytest.StashKey[Forge]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("forgewright_world", "the world file of the server, from the root of the project", default="")
    parser.addini(
        "forgewright_one_server", "one server for all processes of pytest-xdist", type="bool", default=False
    )


def pytest_configure(config: pytest.Config) -> None:
    # The processes of pytest-xdist inherit the variable from the one that starts them.
    if config.getini("forgewright_one_server") and SERVER not in os.environ:
        server = start(_world_of(config))
        config.stash[_OF_THE_RUN] = server
        os.environ[SERVER] = server.url


def pytest_unconfigure(config: pytest.Config) -> None:
    server = config.stash.get(_OF_THE_RUN, None)
    if server:
        os.environ.pop(SERVER, None)
        server.stop()


def _world_of(config: pytest.Config) -> WorldSource | None:
    named = config.getini("forgewright_world")
    return config.rootpath / named if named else None


@pytest.fixture(scope="session")
def forge_world(pytestconfig: pytest.Config) -> WorldSource | None:
    """The world of the tests: override it, or set `forgewright_world`. None is what the server has, which is
    the demo unless it runs already."""
    return None if SERVER in os.environ else _world_of(pytestconfig)


@pytest.fixture(scope="session")
def forge_session(forge_world: WorldSource | None) -> Iterator[Forge]:
    """The server of this session, with its world `main`."""
    running = os.environ.get(SERVER)
    with connect(running) if running else start(forge_world) as server:
        yield server


@pytest.fixture
def forge(forge_session: Forge, forge_world: WorldSource | None) -> Iterator[World]:
    """A world for this test alone."""
    # A server that was started for this session has loaded the world already.
    with forge_session.world(forge_world if SERVER in os.environ else None) as world:
        yield world
