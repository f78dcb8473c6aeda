//! The names of files and folders that Git refuses, because a checkout on some file system would
//! take them for something else: what `git fsck --strict` calls `hasDot`, `hasDotdot`,
//! `hasDotgit`, `gitmodulesSymlink`, `gitmodulesBlob` and `gitattributesBlob`.

use super::tree::Mode;

/// An entry's mode and name may have so many bytes together. Git warns of longer names, and no
/// file system has them.
pub(super) const LONGEST_HEAD: usize = 4096;

/// Paths of files may have so many bytes, and so many folders. Git follows no more than 2048 of
/// them.
pub const LONGEST_PATH: usize = 4096;
pub const MOST_FOLDERS: usize = 1024;

/// The characters that HFS+ ignores in names.
const IGNORED_ON_HFS: [char; 16] = [
    '\u{200c}', '\u{200d}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}',
    '\u{202e}', '\u{206a}', '\u{206b}', '\u{206c}', '\u{206d}', '\u{206e}', '\u{206f}', '\u{feff}',
];

/// Why an entry of a tree may not have this name.
pub(super) fn fault(mode: Mode, name: &[u8]) -> Option<&'static str> {
    if name == b"." || name == b".." {
        return Some("an entry is named `.` or `..`");
    }
    // On Windows a backslash separates folders too.
    let mut parts = name.split(|byte| *byte == b'\\');
    let whole = parts.next().unwrap_or_default();
    if is_on_hfs(name, ".git") || is_git_on_ntfs(whole) || parts.any(is_git_on_ntfs) {
        return Some("an entry is named `.git`, or so that a file system takes it for that");
    }
    match (GitFile::named(name)?, mode) {
        (GitFile::Modules, Mode::Symlink) => Some("`.gitmodules` is a symbolic link"),
        (GitFile::Modules, Mode::Tree | Mode::Submodule) => Some("`.gitmodules` is not a file"),
        (GitFile::Attributes, Mode::Tree | Mode::Submodule) => {
            Some("`.gitattributes` is not a file")
        }
        _ => None,
    }
}

/// A file whose content Git itself reads, so that it may do harm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum GitFile {
    Modules,
    Attributes,
}

impl GitFile {
    /// The file that an entry of a tree is; Git does not follow links to attributes.
    pub(super) fn of(mode: Mode, name: &[u8]) -> Option<Self> {
        mode.is_regular().then(|| Self::named(name)).flatten()
    }

    /// The file that a file system may take a name for.
    fn named(name: &[u8]) -> Option<Self> {
        if is_on_hfs(name, ".gitmodules") || is_on_ntfs(name, b"gitmodules", b"gi7eba") {
            Some(Self::Modules)
        } else if is_on_hfs(name, ".gitattributes") || is_on_ntfs(name, b"gitattributes", b"gi7d29")
        {
            Some(Self::Attributes)
        } else {
            None
        }
    }
}

/// Why a file cannot have this path.
pub fn path_fault(path: &str) -> Option<&'static str> {
    if path.len() > LONGEST_PATH {
        return Some("is longer than 4096 bytes");
    }
    if path.split('/').count() > MOST_FOLDERS + 1 {
        return Some("has more than 1024 directories");
    }
    if path.contains('\0') {
        return Some("contains a NUL");
    }
    if path.split('/').any(str::is_empty) {
        return Some("is empty, starts or ends with a slash, or has two in a row");
    }
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut folders = folders.split('/').filter(|name| !name.is_empty());
    let refused = fault(Mode::File, name.as_bytes()).is_some()
        || folders.any(|name| fault(Mode::Tree, name.as_bytes()).is_some());
    refused.then_some("has a component that Git does not allow")
}

fn is_on_hfs(name: &[u8], reserved: &str) -> bool {
    // Only names of ASCII and of ignored characters can be equal.
    if name.len() > reserved.len() && name.is_ascii() {
        return false;
    }
    let Ok(name) = std::str::from_utf8(name) else {
        return false;
    };
    let seen = name
        .chars()
        .filter(|character| !IGNORED_ON_HFS.contains(character));
    seen.map(|character| character.to_ascii_lowercase())
        .eq(reserved.chars())
}

fn is_git_on_ntfs(name: &[u8]) -> bool {
    [&b".git"[..], b"git~1"].iter().any(|reserved| {
        let (start, end) = name.split_at(reserved.len().min(name.len()));
        start.eq_ignore_ascii_case(reserved) && is_ignored_on_ntfs(end)
    })
}

/// Whether NTFS ignores the end of a name: dots and spaces, and the name of a stream.
fn is_ignored_on_ntfs(end: &[u8]) -> bool {
    let mut rest = end.iter().skip_while(|byte| b". ".contains(byte));
    rest.next().is_none_or(|byte| *byte == b':')
}

/// Whether NTFS may take a name for a file: its name without the dot, and the letters of its short
/// names with a hash.
fn is_on_ntfs(name: &[u8], reserved: &[u8], hashed: &[u8]) -> bool {
    let whole = || after(name.strip_prefix(b".")?, reserved);
    let short = || match after(name, reserved.get(..6)?)? {
        [b'~', b'1'..=b'4', end @ ..] => Some(end),
        _ => None,
    };
    let end = whole()
        .or_else(short)
        .or_else(|| after_hashed(name, hashed));
    end.is_some_and(is_ignored_on_ntfs)
}

/// What follows the start of a name, in letters of any case.
fn after<'a>(name: &'a [u8], start: &[u8]) -> Option<&'a [u8]> {
    let (first, end) = name.split_at_checked(start.len())?;
    first.eq_ignore_ascii_case(start).then_some(end)
}

/// What follows a short name with a hash: its first letters, a tilde and a number, of eight
/// characters together.
fn after_hashed<'a>(name: &'a [u8], letters: &[u8]) -> Option<&'a [u8]> {
    let (short, end) = name.split_at_checked(8)?;
    let tilde = short.iter().position(|byte| *byte == b'~')?;
    let (start, number) = (&short[..tilde], &short[tilde + 1..]);
    let is_number =
        number.first().is_some_and(|first| *first != b'0') && number.iter().all(u8::is_ascii_digit);
    let starts = letters
        .get(..tilde)
        .is_some_and(|letters| start.eq_ignore_ascii_case(letters));
    (starts && is_number).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes_of_git_are_refused_and_other_names_are_not() {
        for name in [
            ".git",
            ".GIT",
            ".git ",
            ".git. .",
            ".git::$INDEX_ALLOCATION",
            "git~1",
            "GIT~1.",
            ".g\u{200c}it",
            "\u{feff}.GiT",
            "a\\.git",
            ".git\\config",
            ".",
            "..",
        ] {
            assert!(fault(Mode::File, name.as_bytes()).is_some(), "{name:?}");
        }
        for name in [
            ".gitignore",
            "git",
            "git~2",
            ".git-",
            ".gitx",
            "...",
            "x.git",
            "git~10",
            "a\\b",
            "\u{200c}",
        ] {
            assert_eq!(fault(Mode::File, name.as_bytes()), None, "{name:?}");
        }
        assert_eq!(fault(Mode::File, b"\xff.git"), None);
    }

    #[test]
    fn modules_are_a_file_whatever_the_file_system() {
        for name in [
            ".gitmodules",
            ".GitModules",
            ".gitmodules .",
            ".gitmodules:stream",
            "gitmod~1",
            "GITMOD~4 ",
            "gi7eba~1",
            "GI7E~123",
            "~1000000",
            ".git\u{200d}modules",
        ] {
            let file = GitFile::of(Mode::File, name.as_bytes());
            assert_eq!(file, Some(GitFile::Modules), "{name:?}");
            for mode in [Mode::Symlink, Mode::Tree, Mode::Submodule] {
                assert!(fault(mode, name.as_bytes()).is_some(), "{name:?}");
            }
            assert_eq!(fault(Mode::File, name.as_bytes()), None, "{name:?}");
        }
        for name in [
            ".gitattributes",
            ".GitAttributes .",
            "gitatt~1",
            "gi7d29~1",
            "GI7D~123",
            ".git\u{200d}attributes",
        ] {
            let file = GitFile::of(Mode::Executable, name.as_bytes());
            assert_eq!(file, Some(GitFile::Attributes), "{name:?}");
            assert_eq!(GitFile::of(Mode::Symlink, name.as_bytes()), None);
            for mode in [Mode::Tree, Mode::Submodule] {
                assert!(fault(mode, name.as_bytes()).is_some(), "{name:?}");
            }
            assert_eq!(fault(Mode::Symlink, name.as_bytes()), None, "{name:?}");
        }
        for name in [
            ".gitmodule",
            ".gitattribute",
            "gitatt~5",
            "gi7d28~1",
            "gitmodules",
            "gitmod~5",
            "gi7eba~0",
            "gi7ebb~1",
            "gi7eba~",
            ".gitmodulesx",
            "gi7eba~1x",
        ] {
            assert_eq!(GitFile::named(name.as_bytes()), None, "{name:?}");
            assert_eq!(fault(Mode::Symlink, name.as_bytes()), None, "{name:?}");
        }
    }

    #[test]
    fn paths_have_a_length_and_a_depth() {
        assert_eq!(path_fault("a/b c/d.git"), None);
        let deep = format!("{}a", "a/".repeat(MOST_FOLDERS));
        assert_eq!(path_fault(&deep), None);
        assert!(path_fault(&format!("a/{deep}")).is_some());
        assert_eq!(path_fault(&"a".repeat(LONGEST_PATH)), None);
        assert!(path_fault(&"a".repeat(LONGEST_PATH + 1)).is_some());
        for path in ["", "/a", "a//b", "a\0", "a/..", "a/.git/b", "a/git~1"] {
            assert!(path_fault(path).is_some(), "{path:?}");
        }
    }
}
