"""Tests an app that uses GitHubKit: advances the clock until the app's token has expired."""

import pytest
from githubkit import AppAuthStrategy, GitHub
from githubkit.exception import RequestFailed


def test_an_installation_token_expires_after_an_hour(forge):
    bot = forge.app("ci-bot")
    app = GitHub(AppAuthStrategy(bot.id, bot.private_key), base_url=forge.url)
    installation = app.rest.apps.get_org_installation("acme").parsed_data
    token = app.rest.apps.create_installation_access_token(installation.id).parsed_data.token

    github = GitHub(token, base_url=forge.url, auto_retry=False, http_cache=False)
    assert github.rest.apps.list_repos_accessible_to_installation().parsed_data.total_count == 2

    forge.clock.advance(minutes=61)
    with pytest.raises(RequestFailed) as refused:
        github.rest.apps.list_repos_accessible_to_installation()
    assert refused.value.response.status_code == 401
    assert "expired" in forge.journal.explain(refused.value)["line"]
