"""Stateful tests: how schemathesis follows the links of the documents.

A walk starts from the examples of the documents, which exist in the demo world, and continues
with values from responses. It checks that created things exist, that changes are visible, and
that deleted things are gone.

This module patches functions of schemathesis, whose version is pinned. Each patch explains why.
"""

import itertools

from hypothesis.errors import Flaky
from schemathesis.engine.errors import is_inconsistent_replay
from schemathesis.engine.run.stateful import _executor
from schemathesis.generation.meta import TestPhase
from schemathesis.specs.openapi import stateful

# No OpenAPI expression can strip `refs/` from a name, so the documents describe in prose what
# `ref` is after `create_ref`. Schemathesis has its own expression for this.
NEW_REF = "$response.header.Location#regex:/git/refs/(.+)"

# These must be unique. A taken name would end a walk at its first step.
NEW_EACH_TIME = ("name", "ref", "body")

number = itertools.count(1)


def operations(document):
    for item in document["paths"].values():
        yield from (operation for operation in item.values() if isinstance(operation, dict))


def links(operation):
    for response in operation["responses"].values():
        yield from response.get("links", {}).values()


def name_new_refs(document):
    for operation in operations(document):
        for link in links(operation) if operation["operationId"] == "create_ref" else ():
            link["parameters"]["ref"] = NEW_REF


def start_with_existing_things():
    """Schemathesis starts only with operations whose path needs no existing resource, and hardly
    any operation here is like that. But the examples and the dictionaries name existing resources."""
    stateful.is_likely_root_transition = lambda operation, *_: starting_points.include(operation)


def continue_after_changes():
    """Hypothesis ends all walks when the same steps get a different response, which is normal here:
    a deleted field stays deleted. This continues with the next walk and another seed."""
    classify = _executor._classify_suite_error

    def classify_and_continue(error, *, ctx, settings, **rest):
        status, again, reported = classify(error, ctx=ctx, settings=settings, **rest)
        changed = isinstance(error, Flaky) or is_inconsistent_replay(error)
        return status, again or (changed and ctx.completed_scenarios < settings.max_examples), reported

    _executor._classify_suite_error = classify_and_continue


class StartingPoints:
    """The examples of the operations that are not the target of a link."""

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
        # Only users of apps, and walks that removed a repository, reach the operation that adds one.
        return operation.method == "put" or operation.definition.raw["operationId"] in self.paths

    def apply(self, case):
        """Replaces the path parameters and the body of a walk's first case with the examples."""
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


starting_points = StartingPoints()
