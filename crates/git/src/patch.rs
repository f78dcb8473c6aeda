//! Commits as mails, as `git format-patch` writes them, which `git am` takes.

use super::diff::stat::summary;
use super::diff::{WrittenFile, joined};
use super::objects::Commit;
use super::{Sha, ident};

/// The longest encoded word of a header (RFC 2047).
const LONGEST_WORD: usize = 75;

/// The position of a mail in a series: its number, from 1, and the length of the series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeriesPosition {
    pub number: usize,
    pub total: usize,
}

/// A commit with the changes that it makes, as a mail.
pub fn mail(sha: Sha, commit: &Commit, files: &[WrittenFile], position: SeriesPosition) -> Vec<u8> {
    let message = String::from_utf8_lossy(commit.message.as_deref().unwrap_or_default());
    let (subject, body) = subject_and_body(&message);
    let (name, email) = ident::name_and_email(&commit.author);
    let (name, email) = (
        String::from_utf8_lossy(name),
        String::from_utf8_lossy(email),
    );
    let number = match position {
        SeriesPosition { total: 1, .. } => String::new(),
        SeriesPosition { number, total } => {
            let width = total.to_string().len();
            format!(" {number:0width$}/{total}")
        }
    };
    let mut text = format!(
        "From {sha} Mon Sep 17 00:00:00 2001\nFrom: {} <{email}>\nDate: {}\n\
         Subject: [PATCH{number}] {}\n",
        phrase(&name),
        ident::mail_date(&commit.author),
        encoded(&subject, "Subject: [PATCH] ".len()),
    );
    if !body.is_ascii() {
        text.push_str(
            "MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\n\
             Content-Transfer-Encoding: 8bit\n",
        );
    }
    text.push('\n');
    text.push_str(&body);
    if !body.is_empty() {
        text.push('\n');
    }
    text.push_str("---\n");
    text.push_str(&summary(files));
    text.push('\n');
    [text.into_bytes(), joined(files), b"\n".to_vec()].concat()
}

/// The first paragraph as one line, and the rest.
fn subject_and_body(message: &str) -> (String, String) {
    let mut lines = message.trim_start_matches('\n').lines();
    let first: Vec<&str> = lines
        .by_ref()
        .take_while(|line| !line.trim().is_empty())
        .map(str::trim)
        .collect();
    let rest: Vec<&str> = lines.collect();
    let body = rest.join("\n");
    (first.join(" "), body.trim_matches('\n').to_owned())
}

/// A name before an address. Punctuation that has a meaning there is quoted.
fn phrase(name: &str) -> String {
    if !name.is_ascii() {
        return encoded(name, "From: ".len());
    }
    match name.contains(|letter: char| "()<>[]:;@\\,.\"".contains(letter)) {
        true => format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")),
        false => name.to_owned(),
    }
}

/// A text in a header: as it is, or as encoded words within the length limit. `prefix` is the
/// length of the text before it.
fn encoded(text: &str, prefix: usize) -> String {
    const BEGIN: &str = "=?UTF-8?q?";
    const END: &str = "?=";
    if text.is_ascii() {
        return text.to_owned();
    }
    let mut lines = BEGIN.to_owned();
    let mut length = prefix + BEGIN.len();
    for letter in text.chars() {
        let letter = in_word(letter);
        if length + letter.len() + END.len() > LONGEST_WORD {
            lines.push_str(&format!("{END}\n {BEGIN}"));
            length = 1 + BEGIN.len();
        }
        length += letter.len();
        lines.push_str(&letter);
    }
    lines + END
}

fn in_word(letter: char) -> String {
    if letter.is_ascii_alphanumeric() || "!*+-/".contains(letter) {
        return letter.to_string();
    }
    let mut bytes = [0; 4];
    let bytes = letter.encode_utf8(&mut bytes).bytes();
    bytes.map(|byte| format!("={byte:02X}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_paragraph_is_the_subject() {
        let (subject, body) = subject_and_body("One\ntwo\n\nThree\n\nfour\n");
        assert_eq!(subject, "One two");
        assert_eq!(body, "Three\n\nfour");
        assert_eq!(subject_and_body(""), (String::new(), String::new()));
    }

    #[test]
    fn what_is_not_ascii_is_encoded_in_short_words() {
        assert_eq!(encoded("plain", 0), "plain");
        assert_eq!(encoded("é x", 0), "=?UTF-8?q?=C3=A9=20x?=");
        let long = encoded(&"é".repeat(40), 9);
        assert!(long.lines().all(|line| line.len() <= LONGEST_WORD + 1));
        assert_eq!(long.matches("=C3=A9").count(), 40);
    }

    #[test]
    fn a_name_with_punctuation_is_quoted() {
        assert_eq!(phrase("Bob Cratchit"), "Bob Cratchit");
        assert_eq!(phrase("Bob C. \"B\""), "\"Bob C. \\\"B\\\"\"");
    }
}
