//! Parts of responses that belong to no noun: rendered texts, pages and streamed lists.

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
