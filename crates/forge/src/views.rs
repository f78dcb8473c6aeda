//! Views that several areas share: repositories, pull requests, installations and author
//! associations, from rows to the shapes of the contract. The related rows of a page (owners,
//! templates, counts) are loaded here, with one query for each kind, however long the page.
//! Access is not decided here.

pub mod markdown;
pub mod page;
pub mod stream;

/// Base64 in lines of 60 characters, as GitHub writes it.
pub fn lines_of_base64(text: &str) -> String {
    const LINE: usize = 60;
    let mut lines = String::with_capacity(text.len() + text.len() / LINE + 1);
    let mut rest = text;
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(LINE));
        lines.push_str(line);
        lines.push('\n');
        rest = after;
    }
    lines
}
