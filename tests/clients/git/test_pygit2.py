"""libgit2, through pygit2."""

import pygit2
import pytest
from conftest import TOKEN, URL, git

SIGNATURE = pygit2.Signature("Alice", "alice@example.com", 1_700_000_000, 0)


def callbacks(token=TOKEN):
    class Callbacks(pygit2.RemoteCallbacks):
        refused = None

        def push_update_reference(self, name, message):
            self.refused = message

    return Callbacks(credentials=pygit2.UserPass("x-access-token", token))


def commit(repository, branch, name, text):
    blob = repository.create_blob(text.encode())
    tip = repository.references.get(f"refs/heads/{branch}")
    parents = [repository.head.target] if tip is None else [tip.target]
    builder = repository.TreeBuilder(repository[parents[0]].tree)
    builder.insert(name, blob, pygit2.enums.FileMode.BLOB)
    tree = builder.write()
    if tip is None:
        repository.create_branch(branch, repository[parents[0]])
    return repository.create_commit(f"refs/heads/{branch}", SIGNATURE, SIGNATURE, "Change\n", tree, parents)


def test_clone_push_and_fetch(tmp_path, fresh):
    first = pygit2.clone_repository(f"{URL}/acme/gadgets.git", tmp_path / "first")
    second = pygit2.clone_repository(f"{URL}/acme/gadgets.git", tmp_path / "second")
    git(tmp_path / "first", "fsck", "--strict")
    new = commit(first, "libgit2", "new.txt", "new\n")
    report = callbacks()
    first.remotes["origin"].push(["refs/heads/libgit2"], callbacks=report)
    assert report.refused is None
    assert fresh("acme/gadgets", "libgit2") == str(new)
    second.remotes["origin"].fetch()
    assert second.references["refs/remotes/origin/libgit2"].target == new
    git(tmp_path / "second", "fsck", "--strict")


def test_private_with_a_token(tmp_path):
    with pytest.raises(pygit2.GitError):
        pygit2.clone_repository(f"{URL}/acme/widgets.git", tmp_path / "anonymous")
    pygit2.clone_repository(f"{URL}/acme/widgets.git", tmp_path / "known", callbacks=callbacks())
    git(tmp_path / "known", "fsck", "--strict")


def test_shallow_clone(tmp_path):
    cloned = pygit2.clone_repository(f"{URL}/acme/gadgets.git", tmp_path / "shallow", depth=1)
    assert cloned.is_shallow
    git(tmp_path / "shallow", "fsck", "--strict")


def test_a_rejected_push_is_reported(tmp_path):
    cloned = pygit2.clone_repository(f"{URL}/acme/gadgets.git", tmp_path / "refused")
    commit(cloned, "topic", "new.txt", "new\n")
    report = callbacks()
    cloned.remotes["origin"].push(["refs/heads/topic:refs/pull/7/head"], callbacks=report)
    assert report.refused == "deny updating a hidden ref"


def test_delete(tmp_path):
    cloned = pygit2.clone_repository(f"{URL}/acme/gadgets.git", tmp_path / "delete")
    commit(cloned, "gone", "new.txt", "new\n")
    origin = cloned.remotes["origin"]
    origin.push(["refs/heads/gone"], callbacks=callbacks())
    origin.push([":refs/heads/gone"], callbacks=callbacks())
    names = [head.name for head in origin.list_heads()]
    assert "refs/heads/main" in names and "refs/heads/gone" not in names
