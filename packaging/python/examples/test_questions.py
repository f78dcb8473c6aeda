"""Tests a bot that uses PyGithub. The fixture `forge` gives each test an isolated world."""

import pytest
from github import Auth, Github, GithubException

from questions import answer_questions


@pytest.fixture
def pull(forge):
    auth = Auth.Token(forge.token("alice"))
    # PyGithub pauses between requests, as GitHub recommends. A test does not need that.
    github = Github(base_url=forge.url, auth=auth, retry=None, seconds_between_requests=0, seconds_between_writes=0)
    pull = github.get_repo("acme/gadgets").get_pull(1)
    commit = pull.base.repo.get_commit(pull.head.sha)
    pull.create_review_comment("Is this right?", commit, "README.md", line=2, side="RIGHT")
    return pull


def test_a_question_is_answered_once(pull):
    assert answer_questions(pull) == 1
    assert answer_questions(pull) == 0
    assert list(pull.get_review_comments())[-1].body == "Good question!"


def test_a_failed_reply_is_retried_on_the_next_run(forge, pull):
    fault = forge.faults.add("status", operation="reply_to_review_comment", status=503, times=1)
    with pytest.raises(GithubException):
        answer_questions(pull)
    assert answer_questions(pull) == 1
    assert forge.faults.get(fault["id"])["used"] == 1
