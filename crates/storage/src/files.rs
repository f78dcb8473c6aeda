//! Files and folders at paths that the operator or a world file names.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// The largest file with a key in PEM, in bytes.
pub const LARGEST_KEY: u64 = 64 * 1024;

/// Opens a regular file for reading. Opening a named pipe would wait for a writer, and reading a
/// device may never end.
pub fn open_regular(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        let without_waiting = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, without_waiting);
    }
    let file = options.open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(Error::new(
            ErrorKind::InvalidInput,
            "it is not a regular file",
        )),
    }
}

/// Reads a regular file of at most this many bytes.
pub fn read_regular(path: &Path, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path)?.take(most + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => Err(Error::new(ErrorKind::FileTooLarge, "it is too large")),
        false => Ok(bytes),
    }
}

/// Creates a folder that only its owner can open, and its parents.
pub fn make_private_folder(path: &Path) -> Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    use super::*;

    #[test]
    fn only_regular_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        for path in [pipe.as_path(), folder.path(), Path::new("/dev/zero")] {
            let error = read_regular(path, 10).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{path:?}: {error}");
        }
        let file = folder.path().join("file");
        std::fs::write(&file, "0123456789").unwrap();
        assert_eq!(read_regular(&file, 10).unwrap(), b"0123456789");
        let error = read_regular(&file, 9).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
    }

    #[test]
    fn a_folder_and_its_parents_are_private() {
        let folder = tempfile::tempdir().unwrap();
        let parent = folder.path().join("data");
        let child = parent.join("tls");
        make_private_folder(&child).unwrap();
        for path in [parent, child] {
            let mode = path.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700, "{}", path.display());
        }
    }
}
