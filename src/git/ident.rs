//! Author, committer and tagger lines, formatted as Git does, and their dates. A line of a
//! stored object may be malformed; parsing its date never fails, as in Git.

use super::objects::split_at;

/// The domain of users without an address; it cannot exist (RFC 2606).
pub const NOREPLY: &str = "users.noreply.invalid";

/// A person and a date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident<'a> {
    pub name: &'a str,
    pub email: &'a str,
    /// Unix seconds.
    pub seconds: i64,
    /// Minutes east of UTC.
    pub offset_minutes: i32,
}

impl Ident<'_> {
    /// The line without its keyword. Omits the same characters as Git: those that would
    /// break the line, and punctuation around the name.
    pub fn line(&self) -> Vec<u8> {
        let sign = if self.offset_minutes < 0 { '-' } else { '+' };
        let minutes = self.offset_minutes.unsigned_abs();
        let (hours, minutes) = (minutes / 60, minutes % 60);
        let (name, email) = (without_crud(self.name), without_crud(self.email));
        let seconds = self.seconds;
        format!("{name} <{email}> {seconds} {sign}{hours:02}{minutes:02}").into_bytes()
    }
}

fn without_crud(text: &str) -> String {
    let crud = |letter: char| letter <= ' ' || ",:;<>\"\\'".contains(letter);
    text.trim_matches(crud).replace(['\n', '<', '>', '\0'], "")
}

/// The date of a line in Unix seconds, or 0 if it cannot be parsed.
pub fn seconds_of(line: &[u8]) -> i64 {
    let Some(end) = line.iter().rposition(|byte| *byte == b'>') else {
        return 0;
    };
    line[end + 1..]
        .iter()
        .skip_while(|byte| byte.is_ascii_whitespace())
        .take_while(|byte| byte.is_ascii_digit())
        .fold(0_i64, |seconds, digit| {
            seconds
                .saturating_mul(10)
                .saturating_add(i64::from(digit - b'0'))
        })
}

/// The name and the email of a line; a line without an email is all name.
pub fn name_and_email(line: &[u8]) -> (&[u8], &[u8]) {
    let Some((name, rest)) = split_at(line, b'<') else {
        return (line.trim_ascii(), b"");
    };
    let email = split_at(rest, b'>').map_or(rest, |(email, _)| email);
    (name.trim_ascii(), email)
}

/// Cleans a message up as `git commit -m` does: no trailing whitespace, no leading,
/// trailing or repeated empty lines, and one final newline.
pub fn tidy_message(message: &str) -> String {
    let mut tidy = String::with_capacity(message.len() + 1);
    let mut blank_before = false;
    for line in message.split('\n') {
        let line = line.trim_end_matches([' ', '\t', '\r']);
        if line.is_empty() {
            blank_before = !tidy.is_empty();
            continue;
        }
        if blank_before {
            tidy.push('\n');
            blank_before = false;
        }
        tidy.push_str(line);
        tidy.push('\n');
    }
    tidy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_signed_offset_and_no_crud() {
        let ident = Ident {
            name: " .O'Neil <x>, '",
            email: "a@\nb",
            seconds: 5,
            offset_minutes: -90,
        };
        assert_eq!(ident.line(), b".O'Neil x <a@b> 5 -0130");
    }

    #[test]
    fn a_time_is_read_behind_the_last_bracket_or_is_zero() {
        assert_eq!(seconds_of(b"A > B <a@b> 12 +0000"), 12);
        for odd in [&b"A <a@b>"[..], b"A <a@b> -1 +0000", b"", b"A <a@b> x"] {
            assert_eq!(seconds_of(odd), 0);
        }
        assert_eq!(seconds_of(b"> 99999999999999999999"), i64::MAX);
    }

    #[test]
    fn a_name_and_an_address_are_read_from_whatever_is_there() {
        for (line, name, email) in [
            (&b"A B <a@b> 12 +0000"[..], &b"A B"[..], &b"a@b"[..]),
            (b" <> 1 +0000", b"", b""),
            (b"A", b"A", b""),
            (b"A <a@b", b"A", b"a@b"),
            (b"", b"", b""),
        ] {
            assert_eq!(name_and_email(line), (name, email));
        }
    }

    #[test]
    fn a_message_is_tidied() {
        assert_eq!(tidy_message("\n\n a  \n\n\n b\t\n\n"), " a\n\n b\n");
        assert_eq!(tidy_message(" \n"), "");
    }
}
