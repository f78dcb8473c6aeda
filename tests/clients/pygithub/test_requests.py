"""Project fields and issue fields. PyGithub has no classes for them, so the tests use its requester."""

import github
import pytest


def test_project_fields_are_listed_added_and_read(alice):
    fields = "/orgs/acme/projectsV2/1/fields"
    headers, first = alice.requester.requestJsonAndCheck("GET", fields, parameters={"per_page": 2})
    assert [field["name"] for field in first] == ["Status", "Details"]
    assert 'rel="next"' in headers["link"]
    _, added = alice.requester.requestJsonAndCheck("POST", fields, input={"name": "Notes", "data_type": "text"})
    _, read = alice.requester.requestJsonAndCheck("GET", f"{fields}/{added['id']}")
    assert (read["name"], read["node_id"]) == ("Notes", added["node_id"])


def test_the_fields_of_a_users_project_are_listed_added_and_read(alice):
    fields = "/users/alice/projectsV2/1/fields"
    _, added = alice.requester.requestJsonAndCheck("POST", fields, input={"name": "Who", "data_type": "text"})
    _, read = alice.requester.requestJsonAndCheck("GET", f"{fields}/{added['id']}")
    assert read["name"] == "Who"
    _, listed = alice.requester.requestJsonAndCheck("GET", fields)
    assert added["id"] in [field["id"] for field in listed]


def test_an_issue_field_is_created_listed_changed_and_deleted(alice):
    fields = "/orgs/acme/issue-fields"
    body = {"name": "Effort", "data_type": "single_select", "options": [{"name": "Much", "color": "red", "priority": 1}]}
    _, created = alice.requester.requestJsonAndCheck("POST", fields, input=body)
    _, updated = alice.requester.requestJsonAndCheck("PATCH", f"{fields}/{created['id']}", input={"name": "Work"})
    assert updated["options"][0]["id"] == created["options"][0]["id"]
    _, listed = alice.requester.requestJsonAndCheck("GET", fields)
    assert "Work" in [field["name"] for field in listed]
    alice.requester.requestJsonAndCheck("DELETE", f"{fields}/{created['id']}")
    with pytest.raises(github.UnknownObjectException):
        alice.requester.requestJsonAndCheck("PATCH", f"{fields}/{created['id']}", input={"name": "X"})


def test_an_invalid_body_is_rejected_with_the_reason(alice):
    with pytest.raises(github.GithubException) as error:
        alice.requester.requestJsonAndCheck("POST", "/orgs/acme/issue-fields", input={"name": "X"})
    assert error.value.status == 422
    assert error.value.message == 'Invalid request.\n\n"data_type" wasn\'t supplied.'
