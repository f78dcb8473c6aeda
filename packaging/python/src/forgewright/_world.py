"""A world: its address, its credentials, and what a test may do with it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._binary import ForgewrightError
from ._control import Control
from ._parts import Clock, Deliveries, Faults, Journal, Snapshots

#: A world file, its text (if it has a line break), or its contents.
WorldSource = str | os.PathLike[str] | Mapping[str, Any]


@dataclass(frozen=True)
class Token:
    """A token of the world."""

    value: str
    #: classic, fine_grained, oauth, app_user or installation
    kind: str
    #: The login of its user, or its app and account: `ci-bot on acme`.
    holder: str
    #: What it may do, in a few words.
    description: str


@dataclass(frozen=True)
class App:
    """An app of the world."""

    id: int
    slug: str
    client_id: str
    #: The file with its private key in PEM, if the world generates one.
    private_key_file: str | None
    #: Its private key in PEM: of the demo, or that in the file.
    private_key: str | None


class World:
    """A world: data, tokens, limits, webhooks and a time of its own."""

    def __init__(self, control: Control, name: str, url: str, tokens: list[Token], apps: list[App]) -> None:
        self._control = control
        self._path = f"/{name}"
        self.name = name
        #: The base URL for clients, without a slash at its end.
        self.url = url
        self.tokens = tokens
        self.apps = apps
        self.clock = Clock(control, self._path)
        self.journal = Journal(control, self._path)
        self.faults = Faults(control, self._path)
        self.deliveries = Deliveries(control, self._path)
        self.snapshots = Snapshots(control, self._path)

    def token(self, holder: str) -> str:
        """The value of a token of this holder."""
        for token in self.tokens:
            if token.holder == holder:
                return token.value
        known = ", ".join(dict.fromkeys(token.holder for token in self.tokens)) or "nobody"
        raise ForgewrightError(f"no token of the world belongs to {holder}; there are tokens of {known}")

    def app(self, slug: str) -> App:
        """The app with this slug."""
        for app in self.apps:
            if app.slug == slug:
                return app
        known = ", ".join(app.slug for app in self.apps) or "none"
        raise ForgewrightError(f"the world has no app {slug}; it has {known}")

    def reset(self) -> None:
        """Goes back to the state after loading."""
        self._control.request("POST", f"{self._path}/reset")

    def contents(self, per_page: int | None = None, page: int | None = None) -> dict[str, Any]:
        """What exists in the world, a page of each kind."""
        query = {"per_page": per_page, "page": page}
        found: dict[str, Any] = self._control.request("GET", f"{self._path}/contents", query=query)
        return found

    def delete(self) -> None:
        """Ends a world that was made; one that is gone already is fine."""
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
    """Those whose values are known."""
    return [
        Token(token["value"], token["kind"], token["holder"], token.get("description") or "")
        for token in tokens
        if token.get("value")
    ]


def make_world(
    control: Control,
    known: Sequence[App],
    world: WorldSource | None,
    template: str | None,
    copy_of: str | World | None,
    name: str | None,
) -> World:
    """Makes a world on a server. `known` are the apps of the server, whose keys it has on its disk."""
    origins: dict[str, object] = {
        "template": template,
        "file": None if world is None else world_text(world),
        "copy_of": copy_of.name if isinstance(copy_of, World) else copy_of,
    }
    given = {key: value for key, value in origins.items() if value is not None}
    if len(given) > 1:
        raise ForgewrightError("a world is made from one thing: `world`, `template` or `copy_of`")
    made = control.request("POST", "", {**(given or {"template": "main"}), **({"name": name} if name else {})})
    keys = {(app.slug, app.client_id): app for app in known}
    apps = [_app(app, keys.get((app["slug"], app["client_id"]))) for app in made["apps"]]
    return World(control, made["name"], made["url"], usable_tokens(made["tokens"]), apps)


def _app(app: Mapping[str, Any], same: App | None) -> App:
    file, key = (same.private_key_file, same.private_key) if same else (None, None)
    return App(app["id"], app["slug"], app["client_id"], file, app.get("private_key") or key)


def is_file(world: WorldSource) -> bool:
    """Whether a world is named, and not given."""
    return isinstance(world, os.PathLike) or (isinstance(world, str) and "\n" not in world)


def world_text(world: WorldSource) -> str:
    """The text of a world. JSON is YAML."""
    if isinstance(world, Mapping):
        return json.dumps(world, indent=2)
    if not is_file(world):
        return str(world)
    try:
        return Path(world).read_text(encoding="utf-8")
    except OSError as error:
        raise ForgewrightError(f"cannot read the world {os.fspath(world)}: {error}") from error
