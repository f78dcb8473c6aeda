"""A stateful GitHub API on your machine, for testing apps, bots and SDKs."""

from ._binary import ForgewrightError, version as __version__
from ._parts import Clock, Deliveries, Faults, Journal, Snapshots
from ._server import Forge, connect, start
from ._types import (
    ClockState,
    Delivery,
    Explanation,
    Fault,
    JournalEntry,
    Snapshot,
)
from ._world import App, Token, World

__all__ = [
    "App",
    "Clock",
    "ClockState",
    "Deliveries",
    "Delivery",
    "Explanation",
    "Fault",
    "Faults",
    "Forge",
    "ForgewrightError",
    "Journal",
    "JournalEntry",
    "Snapshot",
    "Snapshots",
    "Token",
    "World",
    "__version__",
    "connect",
    "start",
]
