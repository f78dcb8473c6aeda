"""A stateful GitHub API on your machine, for testing apps, bots and SDKs."""

from ._binary import ForgewrightError, version as __version__
from ._server import App, Forge, Token, start

__all__ = ["App", "Forge", "ForgewrightError", "Token", "__version__", "start"]
