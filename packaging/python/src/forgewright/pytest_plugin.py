"""Fixtures of pytest: `forge`, a server for each test, and `forge_session`, one for all."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from . import Forge, start
from ._server import World


@pytest.fixture(scope="session")
def forge_world() -> World | None:
    """The world of the servers: override it. None is the demo world."""
    return None


@pytest.fixture
def forge(forge_world: World | None) -> Iterator[Forge]:
    """A server for this test alone."""
    with start(forge_world) as server:
        yield server


@pytest.fixture(scope="session")
def forge_session(forge_world: World | None) -> Iterator[Forge]:
    """A server that all tests share."""
    with start(forge_world) as server:
        yield server
