"""Uses all five areas with a generated client. mypy checks this file and the client with
`--strict`; running it checks that the client matches the server."""

import os
from typing import TypeVar

from forgewright.api.app_installations import (
    add_installation_repository,
    list_installation_repositories,
    list_user_installation_repositories,
    list_user_installations,
    remove_installation_repository,
    revoke_installation_token,
)
from forgewright.api.git_references import create_ref, delete_ref, get_ref, list_matching_refs, update_ref
from forgewright.api.issue_fields import create_issue_field, delete_issue_field, list_issue_fields, update_issue_field
from forgewright.api.project_fields import add_org_project_field, get_org_project_field, list_org_project_fields
from forgewright.api.review_comments import (
    create_review_comment,
    delete_review_comment,
    get_review_comment,
    list_pull_review_comments,
    reply_to_review_comment,
    update_review_comment,
)
from forgewright.client import AuthenticatedClient
from forgewright.models import (
    AddSelectOption,
    AddSingleSelectField,
    CreateIssueField,
    CreateIssueFieldOption,
    CreateRef,
    CreateReviewComment,
    Failure,
    GitRef,
    InstallationRepositories,
    IssueField,
    IssueFieldColor,
    IssueFieldType,
    ProjectField,
    ProjectOptionColor,
    ReplyToReviewComment,
    ReviewComment,
    Side,
    SingleSelectType,
    SortDirection,
    UpdateIssueField,
    UpdateRef,
    UpdateReviewComment,
    UserInstallations,
)
from forgewright.models.pull_review_comment_sort import PullReviewCommentSort
from forgewright.types import Unset
from forgewright_companion.api.look_ups import get_repository
from forgewright_companion.api.pull_requests import get_pull
from forgewright_companion.api.service import get_root, get_zen, list_versions
from forgewright_companion.client import AuthenticatedClient as CompanionClient
from forgewright_companion.models import FullRepository, Pull, Root

URL = os.environ["FORGEWRIGHT_URL"]
T = TypeVar("T")


def client(token: str) -> AuthenticatedClient:
    return AuthenticatedClient(base_url=URL, token=token, raise_on_unexpected_status=True)


ALICE = client("ghp_demo_alice_admin")
COMPANION = CompanionClient(base_url=URL, token="ghp_demo_alice_admin", raise_on_unexpected_status=True)


def want(kind: type[T], response: object) -> T:
    assert isinstance(response, kind), response
    return response


def project_fields() -> None:
    options = [AddSelectOption(name="Good", color=ProjectOptionColor.GREEN)]
    body = AddSingleSelectField(name="Mood", data_type=SingleSelectType.SINGLE_SELECT, single_select_options=options)
    field = want(ProjectField, add_org_project_field.sync("acme", 1, client=ALICE, body=body))
    assert not isinstance(field.options, Unset)
    assert field.options[0].name.raw == "Good"
    again = want(ProjectField, get_org_project_field.sync("acme", 1, field.id, client=ALICE))
    assert again == field
    listed = list_org_project_fields.sync("acme", 1, client=ALICE, per_page=100)
    assert isinstance(listed, list)
    assert [one.name for one in listed][-1] == "Mood"


def issue_fields() -> None:
    option = CreateIssueFieldOption(name="Low", color=IssueFieldColor.GREEN, priority=1)
    body = CreateIssueField(name="Risk", data_type=IssueFieldType.SINGLE_SELECT, options=[option])
    field = want(IssueField, create_issue_field.sync("acme", client=ALICE, body=body))
    update = UpdateIssueField(description="How bad it can get")
    changed = want(IssueField, update_issue_field.sync("acme", field.id, client=ALICE, body=update))
    assert changed.description == "How bad it can get"
    assert changed.options == field.options
    assert delete_issue_field.sync_detailed("acme", field.id, client=ALICE).status_code == 204
    left = list_issue_fields.sync("acme", client=ALICE)
    assert isinstance(left, list)
    assert "Priority" in [one.name for one in left]
    assert field.id not in [one.id for one in left]


def review_comments() -> None:
    pull = want(Pull, get_pull.sync("acme", "gadgets", 1, client=COMPANION))
    assert pull.commits > 0 and pull.additions > 0
    body = CreateReviewComment(body="Well **done**", commit_id=pull.head.sha, path="README.md", line=2, side=Side.RIGHT)
    comment = want(ReviewComment, create_review_comment.sync("acme", "gadgets", 1, client=ALICE, body=body))
    assert comment.original_line == 2
    assert comment.start_side is None
    assert not isinstance(comment.reactions, Unset)
    assert comment.reactions["+1"] == 0
    thanks = ReplyToReviewComment(body="Thanks")
    reply = want(ReviewComment, reply_to_review_comment.sync("acme", "gadgets", 1, comment.id, client=ALICE, body=thanks))
    assert reply.in_reply_to_id == comment.id
    text = UpdateReviewComment(body="Well *done*")
    changed = want(ReviewComment, update_review_comment.sync("acme", "gadgets", comment.id, client=ALICE, body=text))
    assert changed.body == "Well *done*"
    listed = list_pull_review_comments.sync(
        "acme", "gadgets", 1, client=ALICE, sort=PullReviewCommentSort.CREATED, direction=SortDirection.DESC, per_page=1
    )
    assert isinstance(listed, list)
    assert [one.id for one in listed] == [reply.id]
    assert delete_review_comment.sync_detailed("acme", "gadgets", comment.id, client=ALICE).status_code == 204
    gone = want(Failure, get_review_comment.sync("acme", "gadgets", comment.id, client=ALICE))
    assert (gone.message, gone.status) == ("Not Found", "404")


def git_refs() -> None:
    main = want(GitRef, get_ref.sync("acme", "gadgets", "heads/main", client=ALICE))
    topic = want(GitRef, get_ref.sync("acme", "gadgets", "heads/feature/a", client=ALICE))
    body = CreateRef(ref="refs/heads/sdk/try", sha=main.object_.sha)
    assert want(GitRef, create_ref.sync("acme", "gadgets", client=ALICE, body=body)).ref == "refs/heads/sdk/try"
    nowhere = UpdateRef(sha="0" * 40)
    refused = want(Failure, update_ref.sync("acme", "gadgets", "heads/sdk/try", client=ALICE, body=nowhere))
    assert refused.message == "Object does not exist"
    moved = UpdateRef(sha=topic.object_.sha, force=True)
    assert want(GitRef, update_ref.sync("acme", "gadgets", "heads/sdk/try", client=ALICE, body=moved)).object_ == topic.object_
    matching = list_matching_refs.sync("acme", "gadgets", "heads/sdk", client=ALICE)
    assert isinstance(matching, list)
    assert [one.ref for one in matching] == ["refs/heads/sdk/try"]
    assert delete_ref.sync_detailed("acme", "gadgets", "heads/sdk/try", client=ALICE).status_code == 204


def installations() -> None:
    user = client("ghu_demo_alice_ci_bot")
    found = want(UserInstallations, list_user_installations.sync(client=user)).installations[0]
    assert found.app_slug == "ci-bot"
    mine = want(InstallationRepositories, list_user_installation_repositories.sync(found.id, client=user))
    permissions = mine.repositories[0].permissions
    assert not isinstance(permissions, Unset) and permissions.admin
    empty = want(FullRepository, get_repository.sync("acme", "empty", client=COMPANION))
    assert add_installation_repository.sync_detailed(found.id, empty.id, client=ALICE).status_code == 204
    app = client("ghs_demo_ci_bot_acme")
    reached = want(InstallationRepositories, list_installation_repositories.sync(client=app))
    assert reached.total_count == mine.total_count + 1
    assert "acme/empty" in [one.full_name for one in reached.repositories]
    assert remove_installation_repository.sync_detailed(found.id, empty.id, client=ALICE).status_code == 204
    assert revoke_installation_token.sync_detailed(client=app).status_code == 204
    assert want(Failure, list_installation_repositories.sync(client=app)).message == "Bad credentials"


def companion() -> None:
    assert want(Root, get_root.sync(client=COMPANION)).current_user_url.endswith("/user")
    assert list_versions.sync(client=COMPANION) == ["2022-11-28", "2026-03-10"]
    assert want(str, get_zen.sync(client=COMPANION))


for area in (project_fields, issue_fields, review_comments, git_refs, installations, companion):
    area()
    print(f"ok: {area.__name__}")
