"""Additional checks and exceptions for schemathesis.

Loaded through SCHEMATHESIS_HOOKS. Each exception must name the decision behind it
(openapi/decisions.md).
"""

import re

import schemathesis

from walks import continue_after_changes, name_new_refs, start_with_existing_things, starting_points

start_with_existing_things()
continue_after_changes()

# Decisions, "Pages": the server ignores invalid values of these parameters, as GitHub does.
# The documents publish the valid range. So the tests treat them as free text: they still
# send everything, but an invalid value need not be rejected.
LENIENT = {"per_page", "page", "sort", "direction", "state"}

# The same decision: an empty value of these counts as absent; any other must match its schema.
MAY_BE_EMPTY = {"since", "until", "before", "after"}

# Decisions, "Statuses beyond the specification's lists": `4XX` and `5XX` are for errors that
# any request can get. An operation must list its own statuses.
OF_ANY_REQUEST = {400, 413, 415}


def over_the_limit(response):
    """Any request can also get 403 for an exceeded rate limit."""
    return response.status_code == 403 and response.headers.get("x-ratelimit-remaining", [""])[0] == "0"

# Whether these fields are required depends on `in_reply_to` for review comments, and on the
# existence of the file for files. The documents describe this in prose only.
REQUIRED_IN_PROSE = {
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
    starting_points.read(raw_schema)
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
    return shorten_wait(starting_points.apply(case))


def shorten_wait(case):
    """Limits long polling to a second."""
    wait = (case.query or {}).get("wait")
    if str(wait).isdecimal() and 1 < int(wait) <= 60:
        case.query = {**case.query, "wait": 1}
    return case


def empty_is_enough(document, operation):
    """Decisions, "Validation messages": an empty body counts as `{}`."""
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
def errors_have_the_standard_body(ctx, response, case):
    if response.status_code < 400:
        return
    kind = response.headers.get("content-type", [""])[0]
    assert kind == "application/json; charset=utf-8", f"an error with the content type {kind!r}"
    body = response.json()
    assert isinstance(body, dict), "an error whose body is not an object"
    missing = {"message", "documentation_url", "status"} - set(body)
    assert not missing, f"an error without {sorted(missing)}"
    assert body["status"] == str(response.status_code), "an error with a different status in its body"


BOUND = re.compile(r"(were supplied|must be (less|greater) than or equal to -?\d+)\.$")


@schemathesis.check
def valid_data_is_not_rejected_as_a_schema_violation(ctx, response, case):
    """A 422 may say that a name is taken or too long, because the documents describe such bounds in
    prose only. It must not claim a violation of the published schema."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if response.status_code == 422:
        message = response.json()["message"]
        in_prose = REQUIRED_IN_PROSE.get(case.operation.definition.raw["operationId"], ())
        rejected = message.startswith("Invalid request.") and not any(word in message for word in in_prose)
        violations = [line for line in message.splitlines() if line.startswith("For '")]
        rejected = rejected and not (violations and all(BOUND.search(line) for line in violations))
        assert not rejected, f"matches its schema, but: {message}"
    assert response.status_code not in OF_ANY_REQUEST, f"matches its schema, but gets {response.status_code}"
