"""PyGithub's issues: comments, labels, assignees, reactions and locks, of issues and pull requests alike."""

import github
import pytest

from conftest import sound


def names(labels):
    return sorted(sound(label).name for label in labels)


def bodies(comments):
    return [sound(comment).body for comment in comments]


@pytest.fixture
def issue(gadgets):
    return sound(gadgets.create_issue("It squeaks", body="When turned.", labels=["bug"], assignees=["bob"]))


def test_an_issue_is_opened_changed_and_closed(gadgets, issue):
    assert (issue.user.login, issue.state, issue.comments) == ("alice", "open", 0)
    assert (names(issue.labels), [user.login for user in issue.assignees]) == (["bug"], ["bob"])
    assert issue.number in [sound(listed).number for listed in gadgets.get_issues(labels=["bug"], assignee="bob")]
    issue.edit(title="It squeaked", body="Before the oil.")
    issue.edit(state="closed", state_reason="not_planned")
    closed = sound(gadgets.get_issue(issue.number))
    assert (closed.title, closed.body) == ("It squeaked", "Before the oil.")
    assert (closed.state, closed.state_reason, closed.closed_by.login) == ("closed", "not_planned", "alice")
    closed.edit(state="open")
    assert (closed.state, closed.state_reason) == ("open", "reopened")


def test_an_issue_is_commented_and_a_comment_changed_and_deleted(bob, issue):
    comment = sound(issue.create_comment("Oil it."))
    reply = sound(bob.get_repo("acme/gadgets").get_issue(issue.number).create_comment("With what?"))
    assert (reply.user.login, reply.author_association) == ("bob", "MEMBER")
    comment.edit("Grease it.")
    assert bodies(issue.get_comments()) == ["Grease it.", "With what?"]
    assert issue.get_comment(comment.id).body == "Grease it."
    reply.delete()
    assert bodies(issue.get_comments()) == ["Grease it."]
    with pytest.raises(github.UnknownObjectException):
        issue.get_comment(reply.id)


def test_a_pull_request_is_commented_as_an_issue(gadgets):
    pull = gadgets.get_pull(1)
    comment = sound(pull.create_issue_comment("Looks good."))
    assert comment.html_url.endswith(f"/acme/gadgets/pull/1#issuecomment-{comment.id}")
    comment.edit("Looks better.")
    assert bodies(pull.get_issue_comments()) == ["Looks better."]
    assert pull.as_issue().comments == 1
    comment.delete()
    assert bodies(pull.get_issue_comments()) == []


def test_labels_are_made_added_removed_and_replaced(gadgets, issue):
    label = sound(gadgets.create_label("loud", "d73a4a", "One hears it"))
    for conversation in (issue, gadgets.get_pull(1)):
        conversation.set_labels("bug")
        conversation.add_to_labels(label, "new")
        assert names(conversation.get_labels()) == ["bug", "loud", "new"]
        conversation.remove_from_labels("bug")
        conversation.set_labels("loud", "late")
        assert names(conversation.get_labels()) == ["late", "loud"]
        with pytest.raises(github.GithubException) as refusal:
            conversation.remove_from_labels("bug")
        assert (refusal.value.status, refusal.value.message) == (404, "Label does not exist")
        conversation.delete_labels()
        assert names(conversation.get_labels()) == []
    label.edit("noisy", "0e8a16")
    assert sound(gadgets.get_label("noisy")).color == "0e8a16"
    label.delete()
    assert "noisy" not in names(gadgets.get_labels())


def test_somebody_is_assigned_and_relieved(gadgets, issue):
    assert gadgets.has_in_assignees("bob") and not gadgets.has_in_assignees("nobody")
    assert {sound(user).login for user in gadgets.get_assignees()} >= {"alice", "bob"}
    for conversation in (issue, gadgets.get_pull(1)):
        conversation.add_to_assignees("alice", "bob")
        assert sorted(user.login for user in conversation.assignees) == ["alice", "bob"]
        conversation.remove_from_assignees("alice", "bob")
        assert conversation.assignees == []


def test_comments_are_reacted_to(bob, gadgets, issue, tip):
    remarks = (
        issue.create_comment("Oil it."),
        gadgets.get_pull(1).create_review_comment("Why?", tip("feature/a"), "README.md", line=2),
    )
    for remark in remarks:
        reaction = sound(remark.create_reaction("heart"))
        assert remark.create_reaction("heart").id == reaction.id
        assert [(sound(one).content, one.user.login) for one in remark.get_reactions()] == [("heart", "alice")]
        assert remark.delete_reaction(reaction.id)
        assert list(remark.get_reactions()) == []


def test_an_issue_is_locked_and_unlocked(issue):
    issue.lock("too heated")
    issue.update()
    assert (issue.locked, issue.active_lock_reason) == (True, "too heated")
    issue.unlock()
    issue.update()
    assert (issue.locked, issue.active_lock_reason) == (False, None)


def test_what_the_table_in_docs_clients_names_is_missing(gadgets, issue):
    for call in (
        lambda: issue.create_reaction("heart"),
        lambda: list(gadgets.get_commit("main").get_statuses()),
        lambda: list(gadgets.get_milestones()),
        lambda: list(gadgets.get_releases()),
    ):
        with pytest.raises(github.UnknownObjectException):
            call()
