//! Comment bodies: GitHub Flavored Markdown rendered to sanitized HTML and to plain text.
//! Both are rendered when a comment is written, and stored.
//!
//! Links to this server are stored without a host (`/alice`), because callers use different
//! hosts; `with_host` inserts the caller's.
//!
//! Output size and rendering time are bounded. A comment is shown without markup if it
//! would expand too much, is nested too deeply, or mixes so much raw HTML into Markdown
//! that an HTML parser would repeat tags excessively.

mod images;
mod mention;
mod plain;
mod prose;
mod sanitize;

use comrak::nodes::NodeValue;
use comrak::{Arena, Options, format_html, parse_document};

pub use super::comment::mention::{LONGEST_LOGIN, MOST};

/// The deepest nesting of quotes, lists and emphasis.
const DEEPEST: usize = 100;

/// The most raw HTML tags times Markdown blocks. A parser repeats each unclosed tag in each
/// following block, so the product bounds the output.
const MOST_REPEATED: usize = 100_000;

/// The prefix of a link to this server.
const OWN_LINK: &str = " href=\"/";

/// The most bytes that rendering may add to a text, including hosts.
const MOST_ADDED: usize = 256 * 1024;

/// The longest host in bytes.
const LONGEST_HOST: usize = 255;

/// A rendered comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    pub html: String,
    pub text: String,
}

/// The logins that a comment mentions, in lower case, each once; at most [`MOST`]. The
/// accounts need not exist.
pub fn mentions(body: &str) -> Vec<String> {
    // The sign may be written as an entity.
    if !body.contains(['@', '&']) {
        return Vec::new();
    }
    let arena = Arena::new();
    let root = parse_document(&arena, body, &options());
    mention::all(root)
}

/// Renders a comment. `account` maps a lower-case login to the account's own spelling.
#[tracing::instrument(level = "debug", skip_all)]
pub fn render(body: &str, account: impl Fn(&str) -> Option<String>) -> Rendered {
    let arena = Arena::new();
    let mut options = options();
    let root = parse_document(&arena, body, &options);
    let html = match Complexity::of(root) {
        Complexity::TooDeep => plain::paragraph(body),
        complexity => {
            options.render.escape = complexity == Complexity::TooTangled;
            mention::link(&arena, root, account);
            images::as_links(root);
            let mut html = String::with_capacity(body.len() * 2);
            let rendered = format_html(root, &options, &mut html).is_ok();
            let cleaned = match prose::is_prose(root) {
                true => Some(prose::clean(&html)),
                false => sanitize::clean(&html),
            };
            let cleaned = cleaned.filter(|_| rendered);
            let within_limit = cleaned.filter(|html| hosted_bytes(html) <= body.len() + MOST_ADDED);
            within_limit.unwrap_or_else(|| plain::paragraph(body))
        }
    };
    let html = html.trim().to_owned();
    Rendered {
        text: plain::text(&html),
        html,
    }
}

/// The size of a rendering with the longest host.
fn hosted_bytes(html: &str) -> usize {
    html.len() + html.matches(OWN_LINK).count() * LONGEST_HOST
}

/// Inserts the caller's host into the links of a rendered comment. Changes only tags: the
/// text may mention links too.
pub fn with_host(html: &str, host: &str) -> String {
    let own_link = format!(" href=\"{host}/");
    let mut hosted = String::with_capacity(html.len() + host.len());
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        let (text, tag) = rest.split_at(start);
        let (tag, after) = tag.split_at(tag_end(tag));
        hosted.push_str(text);
        hosted.push_str(&tag.replace(OWN_LINK, &own_link));
        rest = after;
    }
    hosted.push_str(rest);
    hosted
}

/// The end of the tag that sanitized HTML begins with. Attribute values are quoted.
fn tag_end(html: &str) -> usize {
    let mut quoted = false;
    for (at, byte) in html.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b'>' if !quoted => return at + 1,
            _ => {}
        }
    }
    html.len()
}

fn options() -> Options<'static> {
    let mut options = Options::default();
    options.extension.strikethrough = true;
    options.extension.table = true;
    options.extension.autolink = true;
    options.extension.tasklist = true;
    // In comments, a newline is a line break.
    options.render.hardbreaks = true;
    options.render.github_pre_lang = true;
    // Raw HTML is allowed here because the sanitizer runs afterwards.
    options.render.r#unsafe = true;
    options
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Complexity {
    Usual,
    TooDeep,
    TooTangled,
}

impl Complexity {
    fn of<'a>(root: comrak::nodes::Node<'a>) -> Self {
        let (mut depth, mut nodes, mut tags) = (0_usize, 0_usize, 0_usize);
        for edge in root.traverse() {
            match edge {
                comrak::arena_tree::NodeEdge::Start(node) => {
                    depth += 1;
                    nodes += 1;
                    if depth > DEEPEST {
                        return Self::TooDeep;
                    }
                    tags += match &node.data().value {
                        NodeValue::HtmlBlock(block) => opened(&block.literal),
                        NodeValue::HtmlInline(literal) => opened(literal),
                        _ => 0,
                    };
                }
                comrak::arena_tree::NodeEdge::End(_) => depth -= 1,
            }
        }
        if tags.saturating_mul(nodes + tags) > MOST_REPEATED {
            Self::TooTangled
        } else {
            Self::Usual
        }
    }
}

fn opened(html: &str) -> usize {
    html.bytes().filter(|byte| *byte == b'<').count()
}

#[cfg(test)]
mod tests;
