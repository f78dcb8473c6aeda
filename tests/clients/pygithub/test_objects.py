"""PyGithub's object graph: repositories, references, pull requests, comments."""

from datetime import datetime, timedelta, timezone

import github
import pytest

from conftest import by_token, validated


def test_a_repository_is_found_by_name_and_by_id(alice):
    by_name = validated(alice.get_repo("acme/gadgets"))
    assert by_name.id == 2002
    assert by_name.owner.login == "acme"
    assert by_name.license.spdx_id == "MIT"
    assert validated(alice.get_repo(2002)).full_name == "acme/gadgets"


def test_users_and_organizations_are_found(alice):
    assert validated(alice.get_user()).login == "alice"
    assert validated(alice.get_user("bob")).name == "Bob Cratchit"
    assert validated(alice.get_organization("acme")).id == 1004


def test_a_missing_or_hidden_repository_is_an_unknown_object(alice, anonymous):
    with pytest.raises(github.UnknownObjectException):
        alice.get_repo("acme/nothing")
    with pytest.raises(github.UnknownObjectException):
        anonymous.get_repo("acme/widgets")


def test_a_reference_is_created_moved_and_deleted(gadgets, tip):
    ref = validated(gadgets.create_git_ref("refs/heads/topic/x#y", tip("main")))
    assert ref.ref == "refs/heads/topic/x#y"
    ref.edit(tip("feature/a"))
    assert ref.object.sha == tip("feature/a")
    with pytest.raises(github.GithubException) as error:
        ref.edit(tip("feature/b"))
    assert (error.value.status, error.value.message) == (422, "Update is not a fast forward")
    ref.edit(tip("feature/b"), force=True)
    assert gadgets.get_git_ref("heads/topic/x#y").object.sha == tip("feature/b")
    ref.delete()
    with pytest.raises(github.UnknownObjectException):
        gadgets.get_git_ref("heads/topic/x#y").object.sha


def test_a_reference_that_was_never_read_is_deleted(alice, gadgets, tip):
    gadgets.create_git_ref("refs/heads/unread", tip("main"))
    lazy = github.Github(base_url=alice.requester.base_url, auth=alice.requester.auth, lazy=True)
    lazy.get_repo("acme/gadgets").get_git_ref("heads/unread").delete()
    with pytest.raises(github.UnknownObjectException):
        gadgets.get_git_ref("heads/unread").object.sha


def test_references_are_listed_all_and_by_prefix(gadgets):
    names = [validated(ref).ref for ref in gadgets.get_git_refs()]
    assert "refs/heads/main" in names
    assert "refs/tags/v1.0" in names
    matching = [ref.ref for ref in gadgets.get_git_matching_refs("heads/feature/")]
    assert matching == ["refs/heads/feature/a", "refs/heads/feature/b"]


def test_a_tag_resolves_to_its_commit(gadgets, tip):
    tag = validated(gadgets.get_git_tag(gadgets.get_git_ref("tags/v1.0").object.sha))
    assert tag.message == "The first release"
    commit = validated(gadgets.get_git_commit(tag.object.sha))
    assert commit.sha == tip("main")
    assert commit.message == "Begin"


def test_updating_an_unchanged_object_transfers_nothing(gadgets):
    ref = gadgets.get_git_ref("heads/main")
    assert ref.object.type == "commit"
    assert ref.update() is False


def test_a_review_comment_is_created_read_replied_to_changed_and_deleted(gadgets, bob, tip):
    pull = validated(gadgets.get_pull(1))
    assert pull.head.sha == tip("feature/a")
    comment = validated(pull.create_review_comment("Why **2**?", tip("feature/a"), "README.md", line=2, side="RIGHT"))
    assert comment.position == 3
    assert comment.user.login == "alice"
    assert comment.diff_hunk.endswith("+2 handles on every gadget.")

    reply = validated(bob.get_repo("acme/gadgets").get_pull(1).create_review_comment_reply(comment.id, "Shorter."))
    assert reply.in_reply_to_id == comment.id
    assert validated(pull.get_review_comment(reply.id)).body == "Shorter."

    comment.edit("Why?")
    assert comment.body == "Why?"
    reply.delete()
    with pytest.raises(github.UnknownObjectException):
        pull.get_review_comment(reply.id)


def test_a_review_is_created_submitted_changed_and_dismissed(gadgets, bob, tip):
    pull = validated(gadgets.get_pull(1))
    comments = [{"path": "README.md", "line": 2, "body": "Why **2**?"}]
    review = validated(pull.create_review(body="Nearly there.", comments=comments))
    assert (review.state, review.submitted_at) == ("PENDING", None)
    assert review.commit_id == tip("feature/a")
    assert review.id not in [one.id for one in bob.get_repo("acme/gadgets").get_pull(1).get_reviews()]

    with pytest.raises(github.GithubException) as error:
        pull.create_review(event="COMMENT", body="Another")
    assert error.value.status == 422
    assert error.value.data["message"] == "User can only have one pending review per pull request"

    pending = [validated(comment) for comment in pull.get_single_review_comments(review.id)]
    assert [comment.body for comment in pending] == ["Why **2**?"]
    headers, data = pull.requester.requestJsonAndCheck(
        "POST", f"{pull.url}/reviews/{review.id}/events", input={"event": "REQUEST_CHANGES"}
    )
    assert data["state"] == "CHANGES_REQUESTED"
    assert pull.get_review_comment(pending[0].id).body == "Why **2**?"
    review = validated(pull.get_review(review.id))
    review.edit("Nearly.")
    assert review.body == "Nearly."
    review.dismiss("Settled in person.")
    assert pull.get_review(review.id).state == "DISMISSED"


def test_a_comment_can_be_on_several_lines_or_a_file(gadgets, tip):
    pull = gadgets.get_pull(1)
    head = tip("feature/a")
    several = validated(pull.create_review_comment("All", head, "README.md", line=5, side="RIGHT", start_line=2, start_side="RIGHT"))
    assert (several.start_line, several.line) == (2, 5)
    file = validated(pull.create_review_comment("The file", head, "README.md", subject_type="file"))
    assert file.subject_type == "file"
    reply = validated(pull.create_review_comment("Yes", head, "README.md", in_reply_to=several.id))
    assert reply.in_reply_to_id == several.id
    suggestion = validated(pull.create_review_comment("Two.", head, "README.md", line=2, as_suggestion=True))
    assert suggestion.body == "```suggestion\nTwo.\n```"


def test_comments_are_counted_paged_and_reversed(gadgets, alice, tip):
    pull = gadgets.get_pull(1)
    for number in range(5):
        pull.create_review_comment(f"number {number}", tip("feature/a"), "README.md", line=2)
    small = github.Github(base_url=alice.requester.base_url, auth=alice.requester.auth, per_page=2)
    comments = small.get_repo("acme/gadgets").get_pull(1).get_review_comments()
    bodies = [validated(comment).body for comment in comments]
    assert comments.totalCount == len(bodies)
    assert [body for body in bodies if body.startswith("number")] == [f"number {number}" for number in range(5)]
    assert [comment.body for comment in comments.reversed] == bodies[::-1]
    assert comments.get_page(0)[0].body == bodies[0]

    newest = small.get_repo("acme/gadgets").get_pulls_review_comments(sort="created", direction="desc")
    assert newest[0].body == "number 4"
    later = datetime.now(timezone.utc) + timedelta(days=1)
    assert list(pull.get_review_comments(since=later)) == []


def test_a_comment_outside_the_diff_is_rejected_with_the_field(gadgets, tip):
    with pytest.raises(github.GithubException) as error:
        gadgets.get_pull(1).create_review_comment("Nowhere", tip("feature/a"), "README.md", line=99)
    assert error.value.status == 422
    assert error.value.data["errors"][0]["field"] == "pull_request_review_thread.line"


def test_bad_credentials_and_a_missing_token_get_different_errors(anonymous):
    with pytest.raises(github.BadCredentialsException):
        by_token("nobody").get_repo("acme/gadgets")
    with pytest.raises(github.GithubException) as error:
        anonymous.get_user().login
    assert (error.value.status, error.value.message) == (401, "Requires authentication")
