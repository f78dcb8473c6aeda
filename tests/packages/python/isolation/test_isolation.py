"""A hundred tests in several pytest-xdist processes on one server. They use the same names, each in
its own world."""

import pytest
from github import Auth, Github, GithubException


@pytest.mark.parametrize("number", range(1, 101))
def test_a_test_has_its_own_world(forge, number):
    now = f"{2030 + number}-01-01T00:00:00Z"
    forge.clock.freeze(now)
    forge.faults.add("status", operation="create_ref", status=502, times=1)

    auth = Auth.Token(forge.token("alice"))
    github = Github(base_url=forge.url, auth=auth, retry=None, seconds_between_requests=0, seconds_between_writes=0)
    repository = github.get_repo("acme/gadgets")
    head = repository.get_git_ref("heads/main").object.sha
    with pytest.raises(GithubException) as failed:
        repository.create_git_ref("refs/heads/news", head)
    assert failed.value.status == 502
    repository.create_git_ref("refs/heads/news", head)
    pull = repository.get_pull(1)
    file = pull.get_files()[0]
    commit = repository.get_commit(pull.head.sha)
    comment = pull.create_review_comment(f"Number {number}", commit, file.filename, line=1, side="RIGHT")
    assert comment.created_at.year == 2030 + number

    ours = [comment.body for comment in pull.get_review_comments() if comment.body.startswith("Number")]
    assert ours == [f"Number {number}"]
    assert [entry["status"] for entry in forge.journal.list(method="POST")] == [201, 201, 502]
    assert forge.deliveries.wait(event="push", timeout=60)["request"]["payload"]["ref"] == "refs/heads/news"
    assert len(forge.deliveries.list(event="push")) == 1
    assert forge.faults.list()[0]["used"] == 1
