"""Stateful tests: how schemathesis follows the links of the documents.

A walk starts from the examples of the documents, which exist in the demo world, and continues
with values from answers. It checks that created things exist, that changes are visible, and
that deleted things are gone.

This patches three functions of schemathesis, whose version is pinned; each patch says why.
"""

import itertools

from hypothesis.errors import Flaky
from schemathesis.engine.errors import is_inconsistent_replay
from schemathesis.engine.run.stateful import _executor
from schemathesis.generation.meta import TestPhase
from schemathesis.specs.openapi import stateful

# No expression of OpenAPI cuts `refs/` off a name, so the documents say in words what `ref`
# is after `create_ref`. Schemathesis has an expression of its own for it.
NEW_REF = "$response.header.Location#regex:/git/refs/(.+)"

# These must be new each time. A name that is taken would end a walk at its first step.
NEW_EACH_TIME = ("name", "ref", "body")

number = itertools.count(1)


def operations(document):
    for item in document["paths"].values():
        yield from (operation for operation in item.values() if isinstance(operation, dict))


def links(operation):
    for answer in operation["responses"].values():
        yield from answer.get("links", {}).values()


def name_new_refs(document):
    for operation in operations(document):
        for link in links(operation) if operation["operationId"] == "create_ref" else ():
            link["parameters"]["ref"] = NEW_REF


def begin_with_what_is_there():
    """Schemathesis begins only where a path names nothing that must be there already, which
    is hardly anywhere here. The examples name what is there, and so do the dictionaries."""
    stateful.is_likely_root_transition = lambda operation, *_: beginnings.include(operation)


def go_on_when_the_world_has_changed():
    """Hypothesis ends all walks when the same steps meet another answer than before, as they
    must here: a field that was deleted is gone. The next walk begins with another seed."""
    classify = _executor._classify_suite_error

    def classify_and_go_on(error, *, ctx, settings, **rest):
        status, again, told = classify(error, ctx=ctx, settings=settings, **rest)
        changed = isinstance(error, Flaky) or is_inconsistent_replay(error)
        return status, again or (changed and ctx.completed_scenarios < settings.max_examples), told

    _executor._classify_suite_error = classify_and_go_on


class Beginnings:
    """The examples of the operations to which no link leads."""

    def __init__(self):
        self.paths = {}
        self.bodies = {}

    def read(self, document):
        reached = {link["operationId"] for operation in operations(document) for link in links(operation)}
        schemas = document["components"]["schemas"]
        for operation in operations(document):
            name = operation["operationId"]
            if name in reached:
                continue
            named = (parameter for parameter in operation.get("parameters", []) if parameter.get("in") == "path")
            self.paths[name] = {parameter["name"]: parameter["example"] for parameter in named}
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            example = schemas.get(body.get("$ref", "").rsplit("/", 1)[-1], {}).get("example")
            if example:
                self.bodies[name] = example

    def include(self, operation):
        # To the adding of a repository only users of apps come, and who has removed it.
        return operation.method == "put" or operation.definition.raw["operationId"] in self.paths

    def apply(self, case):
        """A case of a walk, changed so that it begins where there is something to find."""
        if case.meta is None or case.meta.phase.name != TestPhase.STATEFUL or not case.meta.generation.mode.is_positive:
            return case
        name = case.operation.definition.raw["operationId"]
        if name in self.paths:
            case.path_parameters = {**(case.path_parameters or {}), **self.paths[name]}
            case.query = {}
            if isinstance(case.body, dict):
                body = {**self.bodies.get(name, case.body)}
                body.update({key: f"{body[key][:40]}-{next(number)}" for key in NEW_EACH_TIME if key in body})
                case.body = body
        return case


beginnings = Beginnings()
