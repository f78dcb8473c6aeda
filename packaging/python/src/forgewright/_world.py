"""A world: its URL, its credentials and its control functions."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._binary import ForgewrightError
from ._control import ControlClient
from ._parts import Clock, Deliveries, Faults, Journal, Snapshots

#: A world file, as its path, its text (a string with a line break) or a dictionary.
WorldSource = str | os.PathLike[str] | Mapping[str, Any]


@dataclass(frozen=True)
class Token:
    """A token of a world."""

    value: str
    """The value of the token, for the `Authorization` header."""
    kind: str
    """The kind of token: `classic`, `fine_grained`, `oauth`, `app_user` or `installation`."""
    holder: str
    """The holder of the token: the login of a user, or `ci-bot on acme` for an installation."""
    description: str
    """The purpose or the permissions of the token."""


@dataclass(frozen=True)
class App:
    """An app of a world."""

    id: int
    """The identifier of the app."""
    slug: str
    """The name of the app in paths."""
    client_id: str
    """The client ID of the app, which is the issuer of its JSON web tokens."""
    private_key_file: str | None
    """The path of the file with the private key. None if the key is not in a local file."""
    private_key: str | None
    """The private key in PEM: the demo key, or the key in `private_key_file`. None if it is not known."""


class World:
    """An isolated world, with its own data, tokens, rate limits, webhooks and clock.

    As a context manager, it is deleted at the end of the block.
    """

    name: str
    """The name of the world. `main` is the world that the server was started with."""
    url: str
    """The base URL for clients, without a trailing slash."""
    tokens: list[Token]
    """The tokens whose values are known."""
    apps: list[App]
    """The apps, with their private keys where they are known."""
    clock: Clock
    """The clock: freezes, sets or advances the time of the world."""
    journal: Journal
    """The journal: the requests to the world, with explanations of their responses."""
    faults: Faults
    """The faults: rules that make requests fail."""
    deliveries: Deliveries
    """The webhook deliveries."""
    snapshots: Snapshots
    """The saved states of the world."""

    def __init__(self, control: ControlClient, name: str, url: str, tokens: list[Token], apps: list[App]) -> None:
        self._control = control
        self._path = f"/{name}"
        self.name = name
        self.url = url
        self.tokens = tokens
        self.apps = apps
        self.clock = Clock(control, self._path)
        self.journal = Journal(control, self._path)
        self.faults = Faults(control, self._path)
        self.deliveries = Deliveries(control, self._path)
        self.snapshots = Snapshots(control, self._path)

    def token(self, holder: str) -> str:
        """Returns the value of the first token of a holder.

        Args:
            holder: The login of a user, or `ci-bot on acme` for an installation.

        Raises:
            ForgewrightError: If the world has no such token. The message lists the holders.
        """
        for token in self.tokens:
            if token.holder == holder:
                return token.value
        known = ", ".join(dict.fromkeys(token.holder for token in self.tokens)) or "none"
        raise ForgewrightError(f"the world has no token of {holder}; it has tokens of: {known}")

    def app(self, slug: str) -> App:
        """Returns the app with this slug.

        Raises:
            ForgewrightError: If the world has no such app. The message lists the apps.
        """
        for app in self.apps:
            if app.slug == slug:
                return app
        known = ", ".join(app.slug for app in self.apps) or "none"
        raise ForgewrightError(f"the world has no app {slug}; it has: {known}")

    def reset(self) -> None:
        """Restores the state after loading.

        Also resets the rate limits and the clock, deletes the faults and the journal, cancels deliveries in progress
        and resumes paused ones.
        """
        self._control.request("POST", f"{self._path}/reset")

    def contents(self, per_page: int | None = None, page: int | None = None) -> dict[str, Any]:
        """Returns the contents of the world with their identifiers: a page of each kind.

        Args:
            per_page: The number of results per page.
            page: The number of the page.
        """
        query = {"per_page": per_page, "page": page}
        found: dict[str, Any] = self._control.request("GET", f"{self._path}/contents", query=query)
        return found

    def delete(self) -> None:
        """Deletes the world and all of its data. Does nothing if the world no longer exists.

        Raises:
            ForgewrightError: If the world is `main`, which exists until the server stops.
        """
        try:
            self._control.request("DELETE", self._path)
        except ForgewrightError as error:
            if error.status != 404:
                raise

    def __enter__(self) -> World:
        return self

    def __exit__(self, *_: object) -> None:
        self.delete()


def usable_tokens(tokens: Iterable[Mapping[str, Any]]) -> list[Token]:
    """Returns the tokens whose values are known."""
    return [
        Token(token["value"], token["kind"], token["holder"], token.get("description") or "")
        for token in tokens
        if token.get("value")
    ]


def create_world(
    control: ControlClient,
    known_apps: Sequence[App],
    world: WorldSource | None,
    template: str | None,
    copy_of: str | World | None,
    name: str | None,
) -> World:
    """Creates a world on a server. `known_apps` are the apps of `main`, with their private keys."""
    sources: dict[str, object] = {
        "template": template,
        "file": None if world is None else world_text(world),
        "copy_of": copy_of.name if isinstance(copy_of, World) else copy_of,
    }
    given = {key: value for key, value in sources.items() if value is not None}
    if len(given) > 1:
        raise ForgewrightError("pass only one of `world`, `template` and `copy_of`")
    created = control.request("POST", "", {**(given or {"template": "main"}), **({"name": name} if name else {})})
    keys = {(app.slug, app.client_id): app for app in known_apps}
    apps = [_app(app, keys.get((app["slug"], app["client_id"]))) for app in created["apps"]]
    return World(control, created["name"], created["url"], usable_tokens(created["tokens"]), apps)


def _app(app: Mapping[str, Any], same: App | None) -> App:
    file, key = (same.private_key_file, same.private_key) if same else (None, None)
    return App(app["id"], app["slug"], app["client_id"], file, app.get("private_key") or key)


def is_file(world: WorldSource) -> bool:
    """Returns whether a world is given as a path."""
    return isinstance(world, os.PathLike) or (isinstance(world, str) and "\n" not in world)


def world_text(world: WorldSource) -> str:
    """Returns the text of a world file. A dictionary is written as JSON, which is valid YAML."""
    if isinstance(world, Mapping):
        return json.dumps(world, indent=2)
    if not is_file(world):
        return str(world)
    try:
        return Path(world).read_text(encoding="utf-8")
    except OSError as error:
        raise ForgewrightError(f"cannot read the world file {os.fspath(world)}: {error}") from error
