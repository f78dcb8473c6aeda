//! Author, committer and tagger lines, formatted as Git does, and their dates. A line of a
//! stored object may be malformed; parsing its date never fails, as in Git.

use time::macros::format_description;
use time::{OffsetDateTime, UtcOffset};

use super::objects::split_at;

/// The domain of the addresses that the service gives to accounts; it cannot exist
/// (RFC 2606).
const NOREPLY: &str = "users.noreply.invalid";

/// How the domain of such an address begins, on any host.
const NOREPLY_DOMAINS: &str = "users.noreply.";

/// The address that the service gives to an account, in the form of GitHub's.
pub fn address(id: i64, login: &str) -> String {
    format!("{id}+{login}@{NOREPLY}")
}

/// The address of an account without its id: a world file creates the same commits on every
/// server.
pub fn address_without_id(login: &str) -> String {
    format!("{}@{NOREPLY}", login.to_lowercase())
}

/// The account that an address names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Addressee<'a> {
    pub id: Option<i64>,
    pub login: &'a str,
}

impl<'a> Addressee<'a> {
    /// None unless a service issued the address.
    pub fn of(address: &'a str) -> Option<Self> {
        let (name, domain) = address.rsplit_once('@')?;
        if !domain.to_lowercase().starts_with(NOREPLY_DOMAINS) || name.is_empty() {
            return None;
        }
        let numbered = name.split_once('+').and_then(|(id, login)| {
            let id = Some(id.parse().ok()?);
            Some(Self { id, login })
        });
        Some(numbered.unwrap_or(Self {
            id: None,
            login: name,
        }))
    }
}

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

/// The offset of a line in minutes east of UTC, or 0 if it cannot be parsed.
pub fn offset_of(line: &[u8]) -> i32 {
    let last = line.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
    let Some((sign, digits)) = last.split_first() else {
        return 0;
    };
    let number = std::str::from_utf8(digits).ok();
    let number = number.filter(|text| text.len() == 4);
    let number: Option<i32> = number.and_then(|text| text.parse().ok());
    match (sign, number) {
        (b'+', Some(number)) => number / 100 * 60 + number % 100,
        (b'-', Some(number)) => -(number / 100 * 60 + number % 100),
        _ => 0,
    }
}

/// The date of a line as mails have it: `Tue, 10 Mar 2026 09:30:00 +0100`.
pub fn mail_date(line: &[u8]) -> String {
    let minutes = offset_of(line).clamp(-23 * 60, 23 * 60);
    let offset = UtcOffset::from_whole_seconds(minutes * 60).unwrap_or(UtcOffset::UTC);
    let date = OffsetDateTime::from_unix_timestamp(seconds_of(line));
    let date = date.unwrap_or(OffsetDateTime::UNIX_EPOCH);
    let date = date.checked_to_offset(offset).unwrap_or(date);
    let format = format_description!(
        "[weekday repr:short], [day padding:none] [month repr:short] [year] \
         [hour]:[minute]:[second] [offset_hour sign:mandatory][offset_minute]"
    );
    date.format(format).unwrap_or_default()
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
    fn only_addresses_of_a_service_name_accounts() {
        let check = |address: &str, id, login: &str| {
            assert_eq!(Addressee::of(address), Some(Addressee { id, login }));
        };
        check(&address(7, "Bob"), Some(7), "Bob");
        check(&address_without_id("Bob"), None, "bob");
        check("7+bob@users.noreply.github.com", Some(7), "bob");
        check("x+y@Users.Noreply.invalid", None, "x+y");
        for other in ["bob@example.org", "@users.noreply.invalid", "bob", ""] {
            assert_eq!(Addressee::of(other), None, "{other}");
        }
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
    fn a_date_is_written_in_its_own_time_zone() {
        let line = b"A <a@b> 1773135000 -0130";
        assert_eq!(offset_of(line), -90);
        assert_eq!(mail_date(line), "Tue, 10 Mar 2026 08:00:00 -0130");
        for odd in [
            &b""[..],
            b"A <a@b> 5 +99999",
            b"A <a@b> 5 x",
            b"\xff +\xff\xff\xff\xff",
        ] {
            assert_eq!(offset_of(odd), 0);
            assert!(mail_date(odd).ends_with("+0000"));
        }
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
