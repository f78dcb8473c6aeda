"""Apps: JSON web tokens, installations, installation tokens and their permissions."""

import github
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from conftest import API, KEY, by_token, validated


def integration_with(key, issuer=6001):
    return github.GithubIntegration(
        auth=github.Auth.AppAuth(issuer, key),
        base_url=API,
        seconds_between_requests=None,
        seconds_between_writes=None,
    )


@pytest.fixture
def integration():
    return integration_with(KEY)


def test_the_app_finds_itself_and_its_installations(integration):
    assert validated(integration.get_app()).slug == "ci-bot"
    assert [validated(installation).id for installation in integration.get_installations()] == [7001]
    for found in (
        integration.get_app_installation(7001),
        integration.get_org_installation("acme"),
        integration.get_repo_installation("acme", "gadgets"),
    ):
        assert validated(found).id == 7001
    with pytest.raises(github.UnknownObjectException):
        integration.get_user_installation("bob")


def test_the_client_id_is_a_valid_issuer():
    assert integration_with(KEY, issuer="Iv23ciBot").get_app().id == 6001


def test_an_installation_lists_its_repositories_and_works_with_them(integration):
    installation = integration.get_app_installation(7001)
    assert [validated(repository).name for repository in installation.get_repos()] == ["widgets", "gadgets"]
    gadgets = installation.get_github_for_installation().get_repo("acme/gadgets")
    main = gadgets.get_git_ref("heads/main").object.sha
    assert gadgets.create_git_ref("refs/heads/from-the-app", main).ref == "refs/heads/from-the-app"
    head = gadgets.get_pull(1).head.sha
    comment = validated(gadgets.get_pull(1).create_review_comment("From the app", head, "README.md", line=2))
    assert comment.user.login == "ci-bot[bot]"
    assert comment.user.type == "Bot"


def test_a_restricted_token_can_do_less(integration):
    token = validated(integration.get_access_token(7001, permissions={"contents": "read"}))
    assert token.permissions == {"contents": "read", "metadata": "read"}
    gadgets = by_token(token.token).get_repo("acme/gadgets")
    with pytest.raises(github.GithubException) as error:
        gadgets.create_git_ref("refs/heads/no", gadgets.get_git_ref("heads/main").object.sha)
    assert (error.value.status, error.value.message) == (403, "Resource not accessible by integration")


def test_a_revoked_token_is_rejected(integration):
    caller = by_token(integration.get_access_token(7001).token)
    caller.requester.requestJsonAndCheck("DELETE", "/installation/token")
    with pytest.raises(github.BadCredentialsException):
        caller.get_repo("acme/gadgets")


def test_a_user_sees_installations_and_their_repositories():
    through = by_token("alice-through-ci-bot")
    installations = through.get_user().get_installations()
    assert [validated(installation).id for installation in installations] == [7001]
    _, repositories = through.requester.requestJsonAndCheck("GET", "/user/installations/7001/repositories")
    assert repositories["total_count"] == 2
    assert repositories["repositories"][0]["permissions"]["admin"] is True


def test_an_administrator_adds_a_repository_and_removes_it(alice):
    path = "/user/installations/7001/repositories/2004"
    alice.requester.requestJsonAndCheck("PUT", path)
    alice.requester.requestJsonAndCheck("DELETE", path)
    with pytest.raises(github.UnknownObjectException):
        alice.requester.requestJsonAndCheck("DELETE", path)


def test_an_unknown_key_is_rejected():
    key = rsa.generate_private_key(65537, 2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    with pytest.raises(github.GithubException) as error:
        integration_with(key.decode()).get_app()
    assert (error.value.status, error.value.message) == (401, "A JSON web token could not be decoded")
