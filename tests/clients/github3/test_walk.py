"""github3.py, which reads every field of a response: a missing one raises IncompleteResponse. It
supports repositories, references, pull requests, review comments, issues, labels, statuses,
users, organizations and apps, but not the other operations."""

import os
from pathlib import Path

import github3
import pytest

URL = os.environ["FORGEWRIGHT_URL"]
KEY = Path(os.environ["CLIENT_KEY"]).read_bytes()


def client(token=None):
    return github3.GitHubEnterprise(URL, token=token)


@pytest.fixture
def alice():
    return client("alice-classic")


@pytest.fixture
def gadgets(alice):
    return alice.repository("acme", "gadgets")


def test_a_repository_parses(alice, gadgets):
    assert gadgets.full_name == "acme/gadgets"
    assert gadgets.owner.login == "acme"
    assert gadgets.original_license.key == "mit"
    assert alice.repository_with_id(2002).name == "gadgets"
    with pytest.raises(github3.exceptions.NotFoundError):
        client().repository("acme", "widgets")


def test_users_and_organizations_parse(alice):
    assert alice.me().login == "alice"
    assert alice.user("bob").name == "Bob Cratchit"
    assert alice.organization("acme").id == 1004


def test_a_pull_request_parses(alice, gadgets):
    pull = gadgets.pull_request(1)
    assert pull.user.login == "bob"
    assert (pull.assignee, pull.requested_teams) == (None, [])
    assert pull.base.repository.full_name == "acme/gadgets"
    assert pull.head.ref == "feature/a"
    assert (pull.commits_count, pull.additions_count, pull.deletions_count) == (1, 2, 1)
    assert pull.rebaseable is True
    assert alice.pull_request("acme", "gadgets", 1) == pull


def test_a_reference_is_created_moved_and_deleted(gadgets):
    main, topic = gadgets.ref("heads/main"), gadgets.ref("heads/feature/a")
    assert main.object.type == "commit"
    new = gadgets.create_ref("refs/heads/github3", main.object.sha)
    assert new.ref == "refs/heads/github3"
    assert new.update(topic.object.sha)
    assert gadgets.ref("heads/github3").object.sha == topic.object.sha
    assert new.delete()
    names = [ref.ref for ref in gadgets.refs()]
    assert "refs/heads/github3" not in names
    assert "refs/tags/v1.0" in names


def test_a_tag_resolves_to_its_commit(gadgets):
    tag = gadgets.tag(gadgets.ref("tags/v1.0").object.sha)
    assert tag.message == "The first release"
    assert gadgets.git_commit(tag.object.sha).message == "Begin"


def test_a_review_comment_is_created_replied_to_changed_and_deleted(gadgets):
    pull = gadgets.pull_request(1)
    comment = pull.create_review_comment("Why **2**?", pull.head.sha, "README.md", 3)
    assert (comment.position, comment.user.login) == (3, "alice")
    reply = comment.reply("It is shorter.")
    assert reply.body == "It is shorter."
    assert comment.edit("Why?")
    listed = [one.body for one in gadgets.pull_request(1).review_comments()]
    assert {"Why?", "It is shorter."} <= set(listed)
    assert reply.delete() and comment.delete()


def test_an_issue_is_opened_labelled_assigned_commented_and_closed(gadgets):
    issue = gadgets.create_issue("It squeaks", body="When turned.")
    assert [label.name for label in issue.add_labels("bug", "loud")] == ["bug", "loud"]
    assert issue.remove_label("loud") is not None
    assert issue.add_assignees(["bob"])
    comment = issue.create_comment("Oil it.")
    assert comment.edit("Grease it.")
    assert [one.body for one in issue.comments()] == ["Grease it."]
    assert comment.delete() and issue.close()
    closed = gadgets.issue(issue.number)
    assert (closed.is_closed(), [label.name for label in closed.labels()]) == (True, ["bug"])
    assert [user.login for user in closed.assignees] == ["bob"]


def test_a_status_is_set_and_combined(gadgets):
    sha = gadgets.ref("heads/feature/a").object.sha
    assert gadgets.create_status(sha, "success", context="build").state == "success"
    assert gadgets.commit(sha).status().state == "success"


def test_milestones_are_not_found(gadgets):
    with pytest.raises(github3.exceptions.NotFoundError):
        list(gadgets.milestones())


def test_an_app_finds_its_installations_and_their_repositories():
    app = client()
    app.login_as_app(KEY, "6001")
    assert app.authenticated_app().slug == "ci-bot"
    [installation] = app.app_installations()
    assert installation.account["login"] == "acme"
    assert installation.created_at.year >= 2026
    assert app.app_installation_for_repository("acme", "gadgets").id == 7001
    app.login_as_app_installation(KEY, "6001", 7001)
    assert {one.name for one in app.app_installation_repos()} == {"widgets", "gadgets"}


def test_an_error_response_raises_an_exception(gadgets):
    with pytest.raises(github3.exceptions.UnprocessableEntity) as error:
        gadgets.create_ref("refs/heads/main", gadgets.ref("heads/main").object.sha)
    assert error.value.message == "Reference already exists"
    with pytest.raises(github3.exceptions.AuthenticationFailed):
        client("nobody").me()
