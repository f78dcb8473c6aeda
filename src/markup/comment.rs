//! The text of a comment: GitHub-flavoured Markdown as sanitized HTML, and the
//! same rendering as plain text. Both are made when a comment is written, and
//! stored.
//!
//! Addresses on this server are written without a host (`/alice`), because the
//! same comment is read under many; `with_host` puts in the reader's.
//!
//! The length is bounded for any text: what would make much more of it than was
//! written is shown without markup. So is the time: what is nested deeper than people write, or
//! mixes so much raw HTML into Markdown that a browser's parser would have to
//! repeat it all over, is shown without markup.

mod images;
mod mention;
mod plain;
mod sanitize;

use comrak::nodes::NodeValue;
use comrak::{Arena, Options, format_html, parse_document};

pub use mention::{LONGEST_LOGIN, MOST};

/// Levels of quotes, lists and emphasis within each other.
const DEEPEST: usize = 100;

/// Tags of raw HTML times pieces of Markdown. Each unclosed tag is repeated in
/// each following piece, so the product bounds what can come out.
const MOST_REPEATED: usize = 100_000;

/// How a link to this server is written.
const OWN_LINK: &str = " href=\"/";

/// Bytes that rendering may add to a text, addresses of this server included.
const MOST_ADDED: usize = 256 * 1024;

/// Bytes of the longest address of this server.
const LONGEST_HOST: usize = 255;

/// A comment, ready to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    pub html: String,
    pub text: String,
}

/// The logins that a comment mentions, in lower case, each once; at most
/// [`MOST`]. Whether such accounts exist is for others to say.
pub fn mentions(body: &str) -> Vec<String> {
    let arena = Arena::new();
    let root = parse_document(&arena, body, &options());
    mention::all(root)
}

/// Renders a comment. `account` gives the login of an account as it was
/// written when it was made, for a login in lower case.
#[tracing::instrument(level = "debug", skip_all)]
pub fn render(body: &str, account: impl Fn(&str) -> Option<String>) -> Rendered {
    let arena = Arena::new();
    let mut options = options();
    let root = parse_document(&arena, body, &options);
    let html = match Shape::of(root) {
        Shape::TooDeep => plain::paragraph(body),
        shape => {
            options.render.escape = shape == Shape::TooTangled;
            mention::link(&arena, root, account);
            images::as_links(root);
            let mut html = String::with_capacity(body.len() * 2);
            let written = format_html(root, &options, &mut html).is_ok();
            let cleaned = written.then(|| sanitize::clean(&html)).flatten();
            let fit = cleaned.filter(|html| hosted_bytes(html) <= body.len() + MOST_ADDED);
            fit.unwrap_or_else(|| plain::paragraph(body))
        }
    };
    let html = html.trim().to_owned();
    Rendered {
        text: plain::text(&html),
        html,
    }
}

/// The bytes of a rendering under the longest address.
fn hosted_bytes(html: &str) -> usize {
    html.len() + html.matches(OWN_LINK).count() * LONGEST_HOST
}

/// A rendered comment under the address by which its reader knows this server.
/// Only tags are touched: a text may speak of links.
pub fn with_host(html: &str, host: &str) -> String {
    let ours = format!(" href=\"{host}/");
    let mut hosted = String::with_capacity(html.len() + host.len());
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        let (text, tag) = rest.split_at(start);
        let (tag, after) = tag.split_at(tag_end(tag));
        hosted.push_str(text);
        hosted.push_str(&tag.replace(OWN_LINK, &ours));
        rest = after;
    }
    hosted.push_str(rest);
    hosted
}

/// Where the tag ends that sanitized HTML begins with. Values are quoted.
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
    // In comments a line break is one.
    options.render.hardbreaks = true;
    options.render.github_pre_lang = true;
    // Raw HTML passes here: the sanitizer sees to it.
    options.render.r#unsafe = true;
    options
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Usual,
    TooDeep,
    TooTangled,
}

impl Shape {
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
