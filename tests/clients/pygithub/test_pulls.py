"""Pull requests: create, list, change and merge."""

import github
import pytest

from conftest import validated


def test_a_pull_request_is_created_changed_and_merged(gadgets, tip):
    gadgets.create_git_ref("refs/heads/pygithub-base", tip("main"))
    gadgets.create_git_ref("refs/heads/pygithub-topic", tip("feature/b"))
    pull = validated(gadgets.create_pull(base="pygithub-base", head="acme:pygithub-topic", title="Words", body="More."))
    assert (pull.state, pull.mergeable, pull.mergeable_state) == ("open", True, "clean")
    with pytest.raises(github.GithubException) as error:
        gadgets.create_pull(base="pygithub-base", head="pygithub-topic", title="Again")
    assert error.value.data["errors"][0]["message"] == "A pull request already exists for acme:pygithub-topic."
    pull.edit(title="Better words")
    assert [listed.title for listed in gadgets.get_pulls(base="pygithub-base")] == ["Better words"]
    assert all(file.patch for file in pull.get_files())
    assert not pull.is_merged()
    status = pull.merge(merge_method="squash", sha=tip("pygithub-topic"))
    assert status.merged and status.sha == tip("pygithub-base")
    assert pull.is_merged()
    merged = validated(gadgets.get_pull(pull.number))
    assert (merged.state, merged.merged_by.login) == ("closed", "alice")
