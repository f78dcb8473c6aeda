"""Comments, labels, assignees, reactions and locks of issues and pull requests."""

import github
import pytest

from conftest import validated


def names(labels):
    return sorted(validated(label).name for label in labels)


def bodies(comments):
    return [validated(comment).body for comment in comments]


@pytest.fixture
def issue(gadgets):
    return validated(gadgets.create_issue("It squeaks", body="When turned.", labels=["bug"], assignees=["bob"]))


def test_an_issue_is_opened_changed_and_closed(gadgets, issue):
    assert (issue.user.login, issue.state, issue.comments) == ("alice", "open", 0)
    assert (names(issue.labels), [user.login for user in issue.assignees]) == (["bug"], ["bob"])
    assert issue.number in [validated(listed).number for listed in gadgets.get_issues(labels=["bug"], assignee="bob")]
    issue.edit(title="It squeaked", body="Before the oil.")
    issue.edit(state="closed", state_reason="not_planned")
    closed = validated(gadgets.get_issue(issue.number))
    assert (closed.title, closed.body) == ("It squeaked", "Before the oil.")
    assert (closed.state, closed.state_reason, closed.closed_by.login) == ("closed", "not_planned", "alice")
    closed.edit(state="open")
    assert (closed.state, closed.state_reason) == ("open", "reopened")


def test_an_issue_is_commented_and_a_comment_changed_and_deleted(bob, issue):
    comment = validated(issue.create_comment("Oil it."))
    reply = validated(bob.get_repo("acme/gadgets").get_issue(issue.number).create_comment("With what?"))
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
    comment = validated(pull.create_issue_comment("Looks good."))
    assert comment.html_url.endswith(f"/acme/gadgets/pull/1#issuecomment-{comment.id}")
    comment.edit("Looks better.")
    assert bodies(pull.get_issue_comments()) == ["Looks better."]
    assert pull.as_issue().comments == 1
    comment.delete()
    assert bodies(pull.get_issue_comments()) == []


def test_labels_are_created_added_removed_and_replaced(gadgets, issue):
    label = validated(gadgets.create_label("loud", "d73a4a", "One hears it"))
    for conversation in (issue, gadgets.get_pull(1)):
        conversation.set_labels("bug")
        conversation.add_to_labels(label, "new")
        assert names(conversation.get_labels()) == ["bug", "loud", "new"]
        conversation.remove_from_labels("bug")
        conversation.set_labels("loud", "late")
        assert names(conversation.get_labels()) == ["late", "loud"]
        with pytest.raises(github.GithubException) as error:
            conversation.remove_from_labels("bug")
        assert (error.value.status, error.value.message) == (404, "Label does not exist")
        conversation.delete_labels()
        assert names(conversation.get_labels()) == []
    label.edit("noisy", "0e8a16")
    assert validated(gadgets.get_label("noisy")).color == "0e8a16"
    label.delete()
    assert "noisy" not in names(gadgets.get_labels())


def test_assignees_are_added_and_removed(gadgets, issue):
    assert gadgets.has_in_assignees("bob") and not gadgets.has_in_assignees("nobody")
    assert {validated(user).login for user in gadgets.get_assignees()} >= {"alice", "bob"}
    for conversation in (issue, gadgets.get_pull(1)):
        conversation.add_to_assignees("alice", "bob")
        assert sorted(user.login for user in conversation.assignees) == ["alice", "bob"]
        conversation.remove_from_assignees("alice", "bob")
        assert conversation.assignees == []


def test_reactions_are_added_to_and_removed_from_comments(bob, gadgets, issue, tip):
    comments = (
        issue.create_comment("Oil it."),
        gadgets.get_pull(1).create_review_comment("Why?", tip("feature/a"), "README.md", line=2),
    )
    for comment in comments:
        reaction = validated(comment.create_reaction("heart"))
        assert comment.create_reaction("heart").id == reaction.id
        assert [(validated(one).content, one.user.login) for one in comment.get_reactions()] == [("heart", "alice")]
        assert comment.delete_reaction(reaction.id)
        assert list(comment.get_reactions()) == []


def test_an_issue_is_locked_and_unlocked(issue):
    issue.lock("too heated")
    issue.update()
    assert (issue.locked, issue.active_lock_reason) == (True, "too heated")
    issue.unlock()
    issue.update()
    assert (issue.locked, issue.active_lock_reason) == (False, None)


def test_operations_that_docs_clients_lists_as_missing_are_not_found(gadgets, issue):
    for call in (
        lambda: issue.create_reaction("heart"),
        lambda: list(gadgets.get_milestones()),
        lambda: list(gadgets.get_releases()),
    ):
        with pytest.raises(github.UnknownObjectException):
            call()
