"""Hooks and exceptions for schemathesis, beyond its own checks.

Loaded through SCHEMATHESIS_HOOKS. Each exception names the decision behind it
(openapi/decisions.md); an exception without one is a defect.
"""

import re

import schemathesis

from walks import beginnings, begin_with_what_is_there, go_on_when_the_world_has_changed, name_new_refs

begin_with_what_is_there()
go_on_when_the_world_has_changed()

# Decisions, "Pages": what cannot be read in these parameters counts as absent, because
# clients of GitHub send such values and get an answer. The documents publish the range
# that means something, so they are read as free text here: everything is still sent,
# but a wrong value need not be refused.
LENIENT = {"per_page", "page", "sort", "direction", "state"}

# The same decision: of these an empty value counts as absent, and every other is held
# against its schema.
MAY_BE_EMPTY = {"since", "until", "before", "after"}

# Decisions, "Statuses beyond the specification's lists": `4XX` and `5XX` are for what befalls
# any request. A status that depends on the operation must be listed by it.
OF_ANY_REQUEST = {400, 413, 415}


def over_the_limit(response):
    """403 for an exhausted budget befalls any request too."""
    return response.status_code == 403 and response.headers.get("x-ratelimit-remaining", [""])[0] == "0"

# Specification, create body of review comments: whether these are required depends on
# `in_reply_to`, which the document says in words; and of files, whether they exist.
REQUIRED_IN_WORDS = {
    "create_review_comment": ('"commit_id"', '"path"', '"line"', '"position"', '"start_side"', '"start_line"'),
    "create_or_update_file": ('"sha"',),
}


def parameters(document, item):
    for parameter in item.get("parameters", []):
        reference = parameter.get("$ref", "").removeprefix("#/components/parameters/")
        yield document["components"]["parameters"][reference] if reference else parameter


@schemathesis.hook
def before_load_schema(context, raw_schema):
    name_new_refs(raw_schema)
    beginnings.read(raw_schema)
    for item in raw_schema["paths"].values():
        for operation in item.values():
            for parameter in parameters(raw_schema, operation) if isinstance(operation, dict) else ():
                if parameter["in"] == "query" and parameter["name"] in LENIENT:
                    parameter["schema"] = {"type": "string"}
                if parameter["in"] == "query" and parameter["name"] in MAY_BE_EMPTY:
                    parameter["schema"] = {"anyOf": [parameter["schema"], {"type": "string", "maxLength": 0}]}
            if isinstance(operation, dict) and empty_is_enough(raw_schema, operation):
                operation["requestBody"]["required"] = False


@schemathesis.hook
def map_case(context, case):
    return hurried(beginnings.apply(case))


def hurried(case):
    """Nobody waits a minute for a request that never comes."""
    wait = (case.query or {}).get("wait")
    if str(wait).isdecimal() and 1 < int(wait) <= 60:
        case.query = {**case.query, "wait": 1}
    return case


def empty_is_enough(document, operation):
    """Decisions, "Sentences about bodies": an empty body counts as `{}`."""
    schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    return schema.get("type") == "object" and not schema.get("required") and not schema.get("oneOf")


@schemathesis.check
def status_is_documented(ctx, response, case):
    if response.request.method != case.operation.method.upper():
        return
    listed = case.operation.definition.raw["responses"]
    if str(response.status_code) in listed or response.status_code in OF_ANY_REQUEST or over_the_limit(response):
        return
    raise AssertionError(f"{response.status_code} is not among {sorted(listed)}")


@schemathesis.check
def refusals_have_one_shape(ctx, response, case):
    if response.status_code < 400:
        return
    kind = response.headers.get("content-type", [""])[0]
    assert kind == "application/json; charset=utf-8", f"a refusal of type {kind!r}"
    body = response.json()
    assert isinstance(body, dict), "a refusal that is no object"
    missing = {"message", "documentation_url", "status"} - set(body)
    assert not missing, f"a refusal without {sorted(missing)}"
    assert body["status"] == str(response.status_code), "a refusal with another's status"


BOUND = re.compile(r"(were supplied|must be (less|greater) than or equal to -?\d+)\.$")


@schemathesis.check
def what_fits_the_schema_is_not_called_misshapen(ctx, response, case):
    """A 422 may say that a name is taken or too long, for bounds stand in words; it may not say
    that the published schema is not met."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if response.status_code == 422:
        message = response.json()["message"]
        in_words = REQUIRED_IN_WORDS.get(case.operation.definition.raw["operationId"], ())
        misshapen = message.startswith("Invalid request.") and not any(word in message for word in in_words)
        violations = [line for line in message.splitlines() if line.startswith("For '")]
        misshapen = misshapen and not (violations and all(BOUND.search(line) for line in violations))
        assert not misshapen, f"fits its schema, but: {message}"
    assert response.status_code not in OF_ANY_REQUEST, f"fits its schema, but is {response.status_code}"
