"""dulwich, an implementation of Git in Python."""

import pytest
from conftest import TOKEN, URL, git
from dulwich import porcelain
from dulwich.client import HTTPUnauthorized
from dulwich.errors import NotGitRepository

AUTHOR = b"Alice <alice@example.com>"


def commit(folder, name, text):
    (folder / name).write_text(text)
    porcelain.add(str(folder), paths=[str(folder / name)])
    return porcelain.commit(str(folder), message=b"Change", author=AUTHOR, committer=AUTHOR)


def with_token(repository):
    return URL.replace("://", f"://x-access-token:{TOKEN}@") + f"/{repository}.git"


@pytest.mark.parametrize("version", [0, 1, 2])
def test_clone_push_and_fetch(tmp_path, fresh, version):
    folder, other = tmp_path / "first", tmp_path / "second"
    address = with_token("acme/gadgets")
    for target in (folder, other):
        porcelain.clone(address, str(target), protocol_version=version).close()
        git(target, "fsck", "--strict")
    new = commit(folder, "dulwich.txt", f"{version}\n").decode()
    porcelain.push(str(folder), address, f"HEAD:refs/heads/dulwich{version}")
    assert fresh("acme/gadgets", f"dulwich{version}") == new
    porcelain.fetch(str(other), address)
    assert git(other, "cat-file", "-t", new) == "commit"
    git(other, "fsck", "--strict")


def test_shallow_clone(tmp_path):
    folder = tmp_path / "shallow"
    porcelain.clone(f"{URL}/acme/gadgets.git", str(folder), depth=1).close()
    assert git(folder, "rev-parse", "--is-shallow-repository") == "true"
    git(folder, "fsck", "--strict")


def test_ls_remote():
    refs = porcelain.ls_remote(f"{URL}/acme/gadgets.git").refs
    assert b"refs/heads/feature/a" in refs
    assert b"refs/tags/v1.0" in refs


def test_delete(tmp_path):
    folder = tmp_path / "delete"
    address = with_token("acme/gadgets")
    porcelain.clone(address, str(folder)).close()
    porcelain.push(str(folder), address, "HEAD:refs/heads/gone")
    assert b"refs/heads/gone" in porcelain.ls_remote(address).refs
    porcelain.push(str(folder), address, ":refs/heads/gone")
    assert b"refs/heads/gone" not in porcelain.ls_remote(address).refs


def test_private_needs_a_token(tmp_path):
    with pytest.raises((HTTPUnauthorized, NotGitRepository)):
        porcelain.clone(f"{URL}/acme/widgets.git", str(tmp_path / "anonymous"))
    porcelain.clone(with_token("acme/widgets"), str(tmp_path / "known")).close()
    git(tmp_path / "known", "fsck", "--strict")
