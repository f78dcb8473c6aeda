"""Uses all five areas with a generated client. Its pydantic models validate every response against
the types of the document."""

import os

from forgewright import ApiClient, Configuration
from forgewright.api.app_installations_api import AppInstallationsApi
from forgewright.api.git_references_api import GitReferencesApi
from forgewright.api.issue_fields_api import IssueFieldsApi
from forgewright.api.project_fields_api import ProjectFieldsApi
from forgewright.api.review_comments_api import ReviewCommentsApi
from forgewright.exceptions import ApiException, NotFoundException, UnauthorizedException, UnprocessableEntityException
from forgewright.models.add_org_project_field import AddOrgProjectField
from forgewright.models.add_select_option import AddSelectOption
from forgewright.models.add_single_select_field import AddSingleSelectField
from forgewright.models.api_version import ApiVersion
from forgewright.models.create_issue_field import CreateIssueField
from forgewright.models.create_issue_field_option import CreateIssueFieldOption
from forgewright.models.create_ref import CreateRef
from forgewright.models.create_review_comment import CreateReviewComment
from forgewright.models.failure import Failure
from forgewright.models.issue_field_color import IssueFieldColor
from forgewright.models.issue_field_type import IssueFieldType
from forgewright.models.project_option_color import ProjectOptionColor
from forgewright.models.pull_review_comment_sort import PullReviewCommentSort
from forgewright.models.reply_to_review_comment import ReplyToReviewComment
from forgewright.models.side import Side
from forgewright.models.single_select_type import SingleSelectType
from forgewright.models.sort_direction import SortDirection
from forgewright.models.update_issue_field import UpdateIssueField
from forgewright.models.update_ref import UpdateRef
from forgewright.models.update_review_comment import UpdateReviewComment
from forgewright_companion import ApiClient as CompanionClient
from forgewright_companion import Configuration as CompanionConfiguration
from forgewright_companion.api.look_ups_api import LookUpsApi
from forgewright_companion.api.pull_requests_api import PullRequestsApi
from forgewright_companion.api.service_api import ServiceApi

URL = os.environ["FORGEWRIGHT_URL"]


def client(token: str) -> ApiClient:
    return ApiClient(Configuration(host=URL, access_token=token))


ALICE = client("ghp_demo_alice_admin")
COMPANION = CompanionClient(CompanionConfiguration(host=URL, access_token="ghp_demo_alice_admin"))


def message_of(failure: ApiException) -> str:
    assert isinstance(failure.data, Failure)
    return failure.data.message


def project_fields() -> None:
    api = ProjectFieldsApi(ALICE)
    options = [AddSelectOption(name="Good", color=ProjectOptionColor.GREEN)]
    form = AddSingleSelectField(name="Mood", data_type=SingleSelectType.SINGLE_SELECT, single_select_options=options)
    field = api.add_org_project_field("acme", 1, AddOrgProjectField(form))
    assert field.options is not None and field.options[0].name.raw == "Good"
    assert api.get_org_project_field("acme", 1, field.id) == field
    assert [one.name for one in api.list_org_project_fields("acme", 1, per_page=100)][-1] == "Mood"


def issue_fields() -> None:
    api = IssueFieldsApi(ALICE)
    option = CreateIssueFieldOption(name="Low", color=IssueFieldColor.GREEN, priority=1)
    field = api.create_issue_field("acme", CreateIssueField(name="Risk", data_type=IssueFieldType.SINGLE_SELECT, options=[option]))
    changed = api.update_issue_field("acme", field.id, update_issue_field=UpdateIssueField(description="How bad it can get"))
    assert changed.description == "How bad it can get"
    api.delete_issue_field("acme", field.id)
    left = api.list_issue_fields("acme")
    assert "Priority" in [one.name for one in left]
    assert field.id not in [one.id for one in left]


def review_comments() -> None:
    pull = PullRequestsApi(COMPANION).get_pull("acme", "gadgets", 1)
    assert pull.commits > 0 and pull.additions > 0
    api = ReviewCommentsApi(ALICE)
    body = CreateReviewComment(body="Well **done**", commit_id=pull.head.sha, path="README.md", line=2, side=Side.RIGHT)
    comment = api.create_review_comment("acme", "gadgets", 1, body)
    assert (comment.original_line, comment.start_side) == (2, None)
    reply = api.reply_to_review_comment("acme", "gadgets", 1, comment.id, ReplyToReviewComment(body="Thanks"))
    assert reply.in_reply_to_id == comment.id
    changed = api.update_review_comment("acme", "gadgets", comment.id, UpdateReviewComment(body="Well *done*"))
    assert changed.body == "Well *done*"
    listed = api.list_pull_review_comments(
        "acme", "gadgets", 1, sort=PullReviewCommentSort.CREATED, direction=SortDirection.DESC, per_page=1
    )
    assert [one.id for one in listed] == [reply.id]
    api.delete_review_comment("acme", "gadgets", comment.id)
    try:
        api.get_review_comment("acme", "gadgets", comment.id)
    except NotFoundException as failure:
        assert message_of(failure) == "Not Found"
    else:
        raise AssertionError("a deleted comment still exists")


def git_refs() -> None:
    api = GitReferencesApi(ALICE)
    main = api.get_ref("acme", "gadgets", "heads/main", x_service_api_version=ApiVersion.V2026_03_10)
    topic = api.get_ref("acme", "gadgets", "heads/feature/a")
    created = api.create_ref("acme", "gadgets", CreateRef(ref="refs/heads/sdk/try", sha=main.object.sha))
    assert created.ref == "refs/heads/sdk/try"
    try:
        api.update_ref("acme", "gadgets", "heads/sdk/try", UpdateRef(sha="0" * 40))
    except UnprocessableEntityException as failure:
        assert message_of(failure) == "Object does not exist"
    else:
        raise AssertionError("a reference to a missing object was accepted")
    moved = api.update_ref("acme", "gadgets", "heads/sdk/try", UpdateRef(sha=topic.object.sha, force=True))
    assert moved.object == topic.object
    assert [one.ref for one in api.list_matching_refs("acme", "gadgets", "heads/sdk")] == ["refs/heads/sdk/try"]
    api.delete_ref("acme", "gadgets", "heads/sdk/try")


def installations() -> None:
    user = AppInstallationsApi(client("ghu_demo_alice_ci_bot"))
    found = user.list_user_installations().installations[0]
    assert found.app_slug == "ci-bot"
    mine = user.list_user_installation_repositories(found.id)
    permissions = mine.repositories[0].permissions
    assert permissions is not None and permissions.admin
    empty = LookUpsApi(COMPANION).get_repository("acme", "empty")
    AppInstallationsApi(ALICE).add_installation_repository(found.id, empty.id)
    app = AppInstallationsApi(client("ghs_demo_ci_bot_acme"))
    reached = app.list_installation_repositories()
    assert reached.total_count == mine.total_count + 1
    assert "acme/empty" in [one.full_name for one in reached.repositories]
    AppInstallationsApi(ALICE).remove_installation_repository(found.id, empty.id)
    app.revoke_installation_token()
    try:
        app.list_installation_repositories()
    except UnauthorizedException as failure:
        assert message_of(failure) == "Bad credentials"
    else:
        raise AssertionError("a revoked token still works")


def companion() -> None:
    api = ServiceApi(COMPANION)
    assert api.get_root().current_user_url.endswith("/user")
    assert api.list_versions() == ["2022-11-28", "2026-03-10"]
    assert api.get_zen()


for area in (project_fields, issue_fields, review_comments, git_refs, installations, companion):
    area()
    print(f"ok: {area.__name__}")
