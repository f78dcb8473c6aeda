"""ghapi, which derives its methods from GitHub's OpenAPI description: calls all 28 operations."""

import os
import time
from pathlib import Path

import jwt
import pytest
from ghapi.all import APIError, GhApi
from ghapi.page import sync_paged

URL = os.environ["FORGEWRIGHT_URL"]


def client(token=None, **keywords):
    return GhApi(owner="acme", repo="gadgets", token=token, gh_host=URL, sync=True, **keywords)


@pytest.fixture
def alice():
    return client("alice-classic")


@pytest.fixture
def tip(alice):
    return lambda branch: alice.git.get_ref(ref=f"heads/{branch}").object.sha


def test_fields_of_projects(alice):
    at = {"org": "acme", "project_number": 1}
    assert "Status" in [field.name for field in alice.projects.list_fields_for_org(**at)]
    created = alice.projects.add_field_for_org(**at, name="By ghapi", data_type="text")
    assert alice.projects.get_field_for_org(**at, field_id=created.id).name == "By ghapi"
    at = {"username": "alice", "project_number": 1}
    created = alice.projects.add_field_for_user(**at, name="By ghapi", data_type="number")
    assert alice.projects.get_field_for_user(**at, field_id=created.id).data_type == "number"
    assert created.id in [field.id for field in alice.projects.list_fields_for_user(**at)]


def test_issue_fields(alice):
    created = alice.orgs.create_issue_field(org="acme", name="By ghapi", data_type="text")
    changed = alice.orgs.update_issue_field(org="acme", issue_field_id=created.id, name="Renamed")
    assert changed.name == "Renamed"
    assert "Renamed" in [field.name for field in alice.orgs.list_issue_fields(org="acme")]
    alice.orgs.delete_issue_field(org="acme", issue_field_id=created.id)
    assert "Renamed" not in [field.name for field in alice.orgs.list_issue_fields(org="acme")]


def test_references(alice, tip):
    alice.git.create_ref(ref="refs/heads/ghapi", sha=tip("main"))
    moved = alice.git.update_ref(ref="heads/ghapi", sha=tip("feature/a"))
    assert moved.object.sha == tip("feature/a")
    assert [ref.ref for ref in alice.git.list_matching_refs(ref="heads/gh")] == ["refs/heads/ghapi"]
    alice.git.delete_ref(ref="heads/ghapi")
    with pytest.raises(APIError) as error:
        tip("ghapi")
    assert "404" in str(error.value)


def test_review_comments(alice, tip):
    on = {"pull_number": 1, "commit_id": tip("feature/a"), "path": "README.md", "line": 2}
    created = alice.pulls.create_review_comment(**on, body="Why **2**?")
    reply = alice.pulls.create_reply_for_review_comment(pull_number=1, comment_id=created.id, body="So.")
    assert reply.in_reply_to_id == created.id
    assert alice.pulls.update_review_comment(comment_id=created.id, body="Why?").body == "Why?"
    assert alice.pulls.get_review_comment(comment_id=created.id).user.login == "alice"
    pages = list(sync_paged(alice.pulls.list_review_comments, pull_number=1, per_page=1))
    assert len(pages) == 2
    assert {one.id for one in alice.pulls.list_review_comments_for_repo()} == {created.id, reply.id}
    for comment in (created, reply):
        alice.pulls.delete_review_comment(comment_id=comment.id)
    assert list(alice.pulls.list_review_comments(pull_number=1)) == []


def test_pull_requests_repositories_users_and_limits(alice):
    pull = alice.pulls.get(pull_number=1)
    assert (pull.title, pull.head.repo.full_name) == ("Use a digit", "acme/gadgets")
    assert alice.repos.get().organization.login == "acme"
    assert alice.users.get_authenticated().login == "alice"
    assert alice.orgs.get(org="acme").default_repository_permission == "read"
    assert alice.limit_rem == alice.recv_hdrs["X-RateLimit-Remaining"]


def test_installations(alice):
    through = client("alice-through-ci-bot").apps
    [installation] = through.list_installations_for_authenticated_user().installations
    assert installation.id == 7001
    at = {"installation_id": 7001}
    alice.apps.add_repo_to_installation_for_authenticated_user(**at, repository_id=2004)
    names = {one.name for one in through.list_installation_repos_for_authenticated_user(**at).repositories}
    assert names == {"widgets", "gadgets", "parts"}
    alice.apps.remove_repo_from_installation_for_authenticated_user(**at, repository_id=2004)


def test_an_app_creates_and_revokes_a_token():
    now = int(time.time())
    key = Path(os.environ["CLIENT_KEY"]).read_text()
    signed = jwt.encode({"iat": now - 30, "exp": now + 300, "iss": "6001"}, key, "RS256")
    app = client(jwt_token=signed).apps
    assert app.get_authenticated().slug == "ci-bot"
    token = app.create_installation_access_token(installation_id=7001).token
    installation = client(token).apps
    assert installation.list_repos_accessible_to_installation().total_count == 2
    installation.revoke_installation_access_token()
    with pytest.raises(APIError):
        installation.list_repos_accessible_to_installation()
