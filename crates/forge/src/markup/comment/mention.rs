//! Mentions: `@` and a login in running text, but not in code, within a link, or as part of
//! a word or an email address.

use comrak::Arena;
use comrak::nodes::{AstNode, Node, NodeValue};

/// Further mentions are plain text.
pub const MOST: usize = 50;

/// The most mentions that become links. A link is many times as long as the mention.
const MOST_LINKS: usize = 500;

/// Letters, digits and single hyphens.
pub const LONGEST_LOGIN: usize = 39;

/// The byte range of a mention, including `@`.
type MentionRange = std::ops::Range<usize>;

pub(super) fn all<'a>(root: Node<'a>) -> Vec<String> {
    let mut logins = Vec::new();
    for node in texts(root) {
        if let NodeValue::Text(text) = &node.data().value {
            for range in ranges(text) {
                let login = text[range.start + 1..range.end].to_lowercase();
                if logins.len() < MOST && !logins.contains(&login) {
                    logins.push(login);
                }
            }
        }
    }
    logins
}

/// Replaces mentions of existing accounts by links.
pub(super) fn link<'a>(
    arena: &'a Arena<'a>,
    root: Node<'a>,
    account: impl Fn(&str) -> Option<String>,
) {
    let mut links = 0;
    for node in texts(root) {
        let NodeValue::Text(text) = node.data().value.clone() else {
            continue;
        };
        let mut rest = 0;
        for range in ranges(&text) {
            if links == MOST_LINKS {
                break;
            }
            let Some(login) = account(&text[range.start + 1..range.end].to_lowercase()) else {
                continue;
            };
            // Keeps the text as written; the link uses the account's own spelling.
            let mention = &text[range.clone()];
            let link = format!(r#"<a class="user-mention" href="/{login}">{mention}</a>"#);
            before(
                arena,
                node,
                NodeValue::Text(text[rest..range.start].to_owned().into()),
            );
            before(arena, node, NodeValue::HtmlInline(link));
            rest = range.end;
            links += 1;
        }
        if rest > 0 {
            node.data_mut().value = NodeValue::Text(text[rest..].to_owned().into());
        }
    }
}

fn before<'a>(arena: &'a Arena<'a>, node: Node<'a>, value: NodeValue) {
    let added: &'a AstNode<'a> = arena.alloc(value.into());
    node.insert_before(added);
}

/// The text nodes of running text.
fn texts<'a>(root: Node<'a>) -> Vec<Node<'a>> {
    let mut nodes = Vec::new();
    let mut links = 0;
    for edge in root.traverse() {
        match edge {
            comrak::arena_tree::NodeEdge::Start(node) => match &node.data().value {
                NodeValue::Link(_) | NodeValue::Image(_) => links += 1,
                NodeValue::Text(text) if links == 0 && text.contains('@') => nodes.push(node),
                _ => {}
            },
            comrak::arena_tree::NodeEdge::End(node) => {
                if matches!(node.data().value, NodeValue::Link(_) | NodeValue::Image(_)) {
                    links -= 1;
                }
            }
        }
    }
    nodes
}

fn ranges(text: &str) -> Vec<MentionRange> {
    let mut ranges = Vec::new();
    for (at, _) in text.match_indices('@') {
        let follows_word = text[..at]
            .chars()
            .next_back()
            .is_some_and(|last| last.is_alphanumeric() || "_/@.-`".contains(last));
        let login = login(&text[at + 1..]);
        let end = at + 1 + login;
        // `@acme/team` is a team; the service has no teams.
        let precedes_word = text[end..].starts_with(['/', '_', '@']);
        if login > 0 && login <= LONGEST_LOGIN && !follows_word && !precedes_word {
            ranges.push(at..end);
        }
    }
    ranges
}

/// The length of the login at the start of a text.
fn login(text: &str) -> usize {
    let mut end = 0;
    let mut hyphen = true;
    for (at, byte) in text.bytes().enumerate().take(LONGEST_LOGIN + 1) {
        match byte {
            b'-' if !hyphen => hyphen = true,
            _ if byte.is_ascii_alphanumeric() => {
                hyphen = false;
                end = at + 1;
            }
            _ => break,
        }
    }
    end
}
