"""The reports of continuous integration: statuses and check runs of a commit."""

from datetime import datetime, timezone

import github
import pytest

from conftest import by_token, validated


@pytest.fixture
def commit(gadgets):
    return validated(gadgets.get_commit("feature/a"))


def test_a_commit_shows_its_files_and_authors(commit):
    assert (commit.commit.message, commit.author.login) == ("Use a digit", "bob")
    assert (commit.stats.additions, commit.stats.deletions) == (2, 1)
    assert [(file.filename, file.status) for file in commit.files] == [("README.md", "modified")]
    assert [parent.sha for parent in commit.parents] == [commit.parents[0].sha]


def test_statuses_of_a_commit_are_combined(commit):
    assert validated(commit.get_combined_status()).state == "pending"
    validated(commit.create_status("pending", "https://ci.example.com/1", "Begun", "build"))
    passed = validated(commit.create_status("success", "https://ci.example.com/1", "Passed", "build"))
    assert (passed.creator.login, passed.description) == ("alice", "Passed")
    validated(commit.create_status("failure", context="lint"))
    combined = validated(commit.get_combined_status())
    assert (combined.state, combined.total_count) == ("failure", 2)
    assert {status.context: status.state for status in combined.statuses} == {"build": "success", "lint": "failure"}
    assert [validated(status).state for status in commit.get_statuses()] == ["failure", "success", "pending"]


def test_a_check_run_is_started_annotated_and_completed(commit):
    gadgets = by_token("ci-bot-in-acme").get_repo("acme/gadgets")
    run = validated(gadgets.create_check_run("Spelling", commit.sha, status="in_progress", external_id="42"))
    assert (run.status, run.conclusion, run.app.slug) == ("in_progress", None, "ci-bot")
    annotation = {"path": "README.md", "start_line": 2, "end_line": 2, "annotation_level": "notice", "message": "Two?"}
    output = {"title": "One remark", "summary": "On line 2", "annotations": [annotation]}
    run.edit(conclusion="neutral", completed_at=datetime.now(timezone.utc), output=output)
    assert (run.status, run.conclusion, run.output.title) == ("completed", "neutral", "One remark")

    read = validated(gadgets.get_check_run(run.id))
    assert [(validated(one).path, one.message) for one in read.get_annotations()] == [("README.md", "Two?")]
    assert [validated(one).name for one in commit.get_check_runs(check_name="Spelling")] == ["Spelling"]
    [suite] = commit.get_check_suites()
    assert (validated(suite).conclusion, suite.app.slug) == ("neutral", "ci-bot")
    assert [validated(one).id for one in suite.get_check_runs()] == [run.id]


def test_only_an_app_can_create_check_runs(gadgets, commit):
    with pytest.raises(github.GithubException) as error:
        gadgets.create_check_run("Spelling", commit.sha)
    assert error.value.status == 403
