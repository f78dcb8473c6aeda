"""Files, commits and Git objects."""

import github
import pytest

from conftest import validated


def test_a_file_is_created_changed_and_deleted(gadgets, tip):
    branch = "py-files"
    ref = gadgets.create_git_ref(f"refs/heads/{branch}", tip("main"))
    created = gadgets.create_file("docs/py/one.md", "Make", "one\n", branch=branch)
    assert len(created["commit"].sha) == 40
    file = validated(gadgets.get_contents("docs/py/one.md", ref=branch))
    assert file.decoded_content == b"one\n"
    changed = gadgets.update_file(file.path, "Change", "two\n", file.sha, branch=branch)
    assert validated(changed["content"]).sha != file.sha
    with pytest.raises(github.GithubException) as error:
        gadgets.update_file(file.path, "Too late", "three\n", file.sha, branch=branch)
    assert error.value.status == 409
    gadgets.delete_file(file.path, "Delete", changed["content"].sha, branch=branch)
    with pytest.raises(github.UnknownObjectException):
        gadgets.get_contents(file.path, ref=branch)
    ref.delete()


def test_a_directory_and_the_readme_are_read(gadgets):
    names = [validated(item).name for item in gadgets.get_contents("")]
    assert "README.md" in names
    assert validated(gadgets.get_readme()).path == "README.md"


def test_commits_are_listed_read_and_compared(gadgets, tip):
    commits = [validated(commit) for commit in gadgets.get_commits(sha="feature/a")]
    assert commits[0].sha == tip("feature/a")
    commit = validated(gadgets.get_commit("feature/a"))
    assert [validated(file).status for file in commit.files]
    assert commit.stats.total == sum(file.changes for file in commit.files)
    compared = validated(gadgets.compare("main", "feature/a"))
    assert compared.ahead_by == len(list(compared.commits)) > 0
    assert validated(gadgets.get_branch("feature/a")).commit.sha == commit.sha
    assert "main" in [branch.name for branch in gadgets.get_branches()]
    assert "v1.0" in [validated(tag).name for tag in gadgets.get_tags()]


def test_a_commit_is_built_from_objects(gadgets, tip):
    parent = gadgets.get_git_commit(tip("main"))
    blob = validated(gadgets.create_git_blob("aGk=", "base64"))
    assert validated(gadgets.get_git_blob(blob.sha)).size == 2
    entry = github.InputGitTreeElement("built/hi", "100644", "blob", sha=blob.sha)
    tree = validated(gadgets.create_git_tree([entry], parent.tree))
    commit = validated(gadgets.create_git_commit("Build", tree, [parent]))
    ref = gadgets.create_git_ref("refs/heads/py-built", commit.sha)
    assert gadgets.get_contents("built/hi", ref="py-built").decoded_content == b"hi"
    tag = validated(gadgets.create_git_tag("py-1", "One", commit.sha, "commit"))
    assert tag.object.sha == commit.sha
    ref.delete()
