//! Checks the content of `.gitattributes` as `git fsck` does: an old Git overflows on long lines.

/// Git ignores longer lines: `gitattributesLineLength`.
const LONGEST_LINE: usize = 2048;

/// Why `git fsck` refuses a file. What follows a NUL is not read, as in Git.
pub(super) fn fault(content: &[u8]) -> Option<&'static str> {
    let text = content.split(|byte| *byte == 0).next().unwrap_or_default();
    let mut lines = text.split(|byte| *byte == b'\n');
    let is_long = lines.any(|line| line.len() >= LONGEST_LINE);
    is_long.then_some("it has a line of 2048 bytes or more")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_a_length() {
        let line = |length: usize| format!("*.txt text\n{}\n*.c diff\n", "a".repeat(length));
        assert_eq!(fault(line(LONGEST_LINE - 1).as_bytes()), None);
        assert!(fault(line(LONGEST_LINE).as_bytes()).is_some());
        assert_eq!(
            fault(&[b"\0", line(LONGEST_LINE).as_bytes()].concat()),
            None
        );
        assert_eq!(fault(b""), None);
    }
}
