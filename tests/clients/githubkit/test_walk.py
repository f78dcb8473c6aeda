"""Calls every operation by its method and validates every response with GitHub's models."""

import os
import re
from datetime import date

import httpx

from conftest import client


def test_project_fields_of_an_organization(alice, refused):
    projects = alice.rest.projects
    names = [field.name for field in alice.rest.paginate(projects.list_fields_for_org, org="acme", project_number=1, per_page=2)]
    assert names == ["Status", "Details", "Points", "Due", "Cycle"]

    select = projects.add_field_for_org(
        1,
        "acme",
        name="Size",
        data_type="single_select",
        single_select_options=[{"name": "Small", "color": "BLUE", "description": "A day"}],
    ).parsed_data
    assert select.options[0].name.raw == "Small"
    iteration = projects.add_field_for_org(
        1,
        "acme",
        name="Sprint",
        data_type="iteration",
        iteration_configuration={"start_date": date(2026, 1, 5), "duration": 7},
    ).parsed_data
    assert iteration.configuration.duration == 7
    assert projects.add_field_for_org(2, "acme", issue_field_id=4002).parsed_data.name == "Estimate"
    read = projects.get_field_for_org(1, select.id, "acme").parsed_data
    assert read == select
    assert refused(404, projects.get_field_for_org, 1, 99, "acme") == "Not Found"


def test_project_fields_of_a_user(alice):
    projects = alice.rest.projects
    added = projects.add_field_for_user("alice", 1, name="Who", data_type="text").parsed_data
    assert projects.get_field_for_user(1, added.id, "alice").parsed_data.name == "Who"
    fields = alice.rest.paginate(projects.list_fields_for_user, username="alice", project_number=1, per_page=1)
    assert [field.name for field in fields] == ["When", "Where", "How long", "Who"]


def test_issue_fields(alice, refused):
    orgs = alice.rest.orgs
    created = orgs.create_issue_field(
        "acme",
        name="Effort",
        data_type="single_select",
        options=[{"name": "Much", "color": "red", "priority": 1}, {"name": "Little", "color": "green", "priority": 2}],
    ).parsed_data
    assert [option.name for option in created.options] == ["Much", "Little"]
    updated = orgs.update_issue_field(
        "acme",
        created.id,
        name="Work",
        options=[{"id": created.options[1].id, "name": "A little", "color": "blue", "priority": 1}],
    ).parsed_data
    assert [(option.id, option.name) for option in updated.options] == [(created.options[1].id, "A little")]
    assert "Work" in [field.name for field in orgs.list_issue_fields("acme").parsed_data]
    assert orgs.delete_issue_field("acme", created.id).status_code == 204
    assert refused(404, orgs.delete_issue_field, "acme", created.id) == "Not Found"


def test_review_comments(alice, tip, refused):
    pulls = alice.rest.pulls
    gadgets = {"owner": "acme", "repo": "gadgets"}
    comment = pulls.create_review_comment(
        **gadgets, pull_number=1, body="Why **2**?", commit_id=tip("feature/a"), path="README.md", line=2, side="RIGHT"
    ).parsed_data
    assert comment.user.login == "alice"
    assert comment.position == 3
    several = pulls.create_review_comment(
        **gadgets,
        pull_number=1,
        body="All of it",
        commit_id=tip("feature/a"),
        path="README.md",
        start_line=2,
        start_side="RIGHT",
        line=5,
        side="RIGHT",
    ).parsed_data
    assert (several.start_line, several.line) == (2, 5)
    reply = pulls.create_reply_for_review_comment(**gadgets, pull_number=1, comment_id=comment.id, body="Shorter.").parsed_data
    assert reply.in_reply_to_id == comment.id
    changed = pulls.update_review_comment(**gadgets, comment_id=comment.id, body="Why?").parsed_data
    assert changed.body == "Why?"
    assert pulls.get_review_comment(**gadgets, comment_id=comment.id).parsed_data == changed

    ids = [comment.id, several.id, reply.id]
    listed = alice.rest.paginate(pulls.list_review_comments, **gadgets, pull_number=1, per_page=1)
    assert [one.id for one in listed] == ids
    everywhere = alice.rest.paginate(pulls.list_review_comments_for_repo, **gadgets, per_page=2)
    assert [one.id for one in everywhere] == ids

    assert pulls.delete_review_comment(**gadgets, comment_id=reply.id).status_code == 204
    assert refused(404, pulls.get_review_comment, **gadgets, comment_id=reply.id) == "Not Found"


def test_git_references(alice, tip, refused):
    git = alice.rest.git
    gadgets = {"owner": "acme", "repo": "gadgets"}
    created = git.create_ref(**gadgets, data={"ref": "refs/heads/topic/x", "sha": tip("main")}).parsed_data
    assert created.ref == "refs/heads/topic/x"
    moved = git.update_ref(**gadgets, ref="heads/topic/x", sha=tip("feature/a")).parsed_data
    assert moved.object_.sha == tip("feature/a")
    assert refused(422, git.update_ref, **gadgets, ref="heads/topic/x", sha=tip("main")) == "Update is not a fast forward"
    matching = git.list_matching_refs(**gadgets, ref="heads/topic").parsed_data
    assert [ref.ref for ref in matching] == ["refs/heads/topic/x"]
    assert git.delete_ref(**gadgets, ref="heads/topic/x").status_code == 204
    assert refused(404, git.get_ref, **gadgets, ref="heads/topic/x") == "Not Found"
    assert refused(409, git.get_ref, owner="acme", repo="empty", ref="heads/main") == "Git Repository is empty."


def test_installations(alice, app, installation, through, refused):
    assert app.rest.apps.get_authenticated().parsed_data.slug == "ci-bot"
    assert [one.id for one in app.rest.apps.list_installations().parsed_data] == [7001]
    assert app.rest.apps.get_org_installation("acme").parsed_data.id == 7001

    reachable = installation.rest.apps.list_repos_accessible_to_installation().parsed_data
    assert [repository.name for repository in reachable.repositories] == ["widgets", "gadgets"]

    listed = through.rest.apps.list_installations_for_authenticated_user().parsed_data
    assert [one.id for one in listed.installations] == [7001]
    assert alice.rest.apps.add_repo_to_installation_for_authenticated_user(7001, 2004).status_code == 204
    repositories = through.rest.paginate(
        through.rest.apps.list_installation_repos_for_authenticated_user,
        lambda response: response.parsed_data.repositories,
        installation_id=7001,
        per_page=1,
    )
    assert [repository.name for repository in repositories] == ["widgets", "gadgets", "parts"]
    assert alice.rest.apps.remove_repo_from_installation_for_authenticated_user(7001, 2004).status_code == 204

    token = app.rest.apps.create_installation_access_token(7001, data={"repositories": ["gadgets"]}).parsed_data
    assert [repository.name for repository in token.repositories] == ["gadgets"]
    narrow = client(token.token)
    assert narrow.rest.apps.revoke_installation_access_token().status_code == 204
    assert refused(401, narrow.rest.apps.list_repos_accessible_to_installation) == "Bad credentials"


def test_companion_operations(alice):
    assert alice.rest.repos.get("acme", "gadgets").parsed_data.full_name == "acme/gadgets"
    assert alice.rest.pulls.get("acme", "gadgets", 1).parsed_data.title == "Use a digit"
    assert alice.rest.users.get_authenticated().parsed_data.login == "alice"
    assert alice.rest.users.get_by_username("bob").parsed_data.login == "bob"
    assert alice.rest.orgs.get("acme").parsed_data.login == "acme"
    assert alice.rest.projects.get_for_org(1, "acme").parsed_data.title == "Roadmap"
    assert alice.rest.projects.get_for_user(1, "alice").parsed_data.title == "Chores"
    assert alice.rest.meta.get_all_versions().parsed_data == [date(2022, 11, 28), date(2026, 3, 10)]
    assert alice.rest.rate_limit.get().parsed_data.resources.core.limit == 5000
    tag = alice.rest.git.get_ref("acme", "gadgets", "tags/v1.0").parsed_data.object_.sha
    commit = alice.rest.git.get_tag("acme", "gadgets", tag).parsed_data.object_.sha
    assert alice.rest.git.get_commit("acme", "gadgets", commit).parsed_data.message == "Begin"


def test_a_repeated_read_is_answered_with_304_and_comes_from_the_clients_cache(alice):
    def unchanged():
        text = httpx.get(os.environ["FORGEWRIGHT_URL"] + "/metrics").text
        return sum(int(count) for count in re.findall(r'operation="get_ref",status="304"[^}]*} (\d+)', text))

    first = alice.rest.git.get_ref("acme", "gadgets", "heads/main").parsed_data
    before = unchanged()
    assert alice.rest.git.get_ref("acme", "gadgets", "heads/main").parsed_data == first
    assert unchanged() == before + 1
