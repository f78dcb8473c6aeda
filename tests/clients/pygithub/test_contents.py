"""PyGithub on files, commits and Git objects."""

import github
import pytest

from conftest import sound


def test_a_file_is_made_changed_and_deleted(gadgets, tip):
    branch = "py-files"
    ref = gadgets.create_git_ref(f"refs/heads/{branch}", tip("main"))
    made = gadgets.create_file("docs/py/one.md", "Make", "one\n", branch=branch)
    assert len(made["commit"].sha) == 40
    file = sound(gadgets.get_contents("docs/py/one.md", ref=branch))
    assert file.decoded_content == b"one\n"
    changed = gadgets.update_file(file.path, "Change", "two\n", file.sha, branch=branch)
    assert sound(changed["content"]).sha != file.sha
    with pytest.raises(github.GithubException) as refusal:
        gadgets.update_file(file.path, "Too late", "three\n", file.sha, branch=branch)
    assert refusal.value.status == 409
    gadgets.delete_file(file.path, "Delete", changed["content"].sha, branch=branch)
    with pytest.raises(github.UnknownObjectException):
        gadgets.get_contents(file.path, ref=branch)
    ref.delete()


def test_a_directory_and_the_readme_are_read(gadgets):
    names = [sound(item).name for item in gadgets.get_contents("")]
    assert "README.md" in names
    assert sound(gadgets.get_readme()).path == "README.md"


def test_commits_are_listed_read_and_compared(gadgets, tip):
    commits = [sound(commit) for commit in gadgets.get_commits(sha="feature/a")]
    assert commits[0].sha == tip("feature/a")
    commit = sound(gadgets.get_commit("feature/a"))
    assert [sound(file).status for file in commit.files]
    assert commit.stats.total == sum(file.changes for file in commit.files)
    compared = sound(gadgets.compare("main", "feature/a"))
    assert compared.ahead_by == len(list(compared.commits)) > 0
    assert sound(gadgets.get_branch("feature/a")).commit.sha == commit.sha
    assert "main" in [branch.name for branch in gadgets.get_branches()]
    assert "v1.0" in [sound(tag).name for tag in gadgets.get_tags()]


def test_a_commit_is_built_from_objects(gadgets, tip):
    parent = gadgets.get_git_commit(tip("main"))
    blob = sound(gadgets.create_git_blob("aGk=", "base64"))
    assert sound(gadgets.get_git_blob(blob.sha)).size == 2
    entry = github.InputGitTreeElement("built/hi", "100644", "blob", sha=blob.sha)
    tree = sound(gadgets.create_git_tree([entry], parent.tree))
    commit = sound(gadgets.create_git_commit("Build", tree, [parent]))
    ref = gadgets.create_git_ref("refs/heads/py-built", commit.sha)
    assert gadgets.get_contents("built/hi", ref="py-built").decoded_content == b"hi"
    tag = sound(gadgets.create_git_tag("py-1", "One", commit.sha, "commit"))
    assert tag.object.sha == commit.sha
    ref.delete()
