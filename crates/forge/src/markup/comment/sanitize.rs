//! The HTML sanitizer: allows text-level and block elements, web links, and disabled check
//! boxes. Allows no script, style or form, nothing that loads or runs, and no id that could
//! collide with the surrounding page. Images keep their alternative text and lose their URL
//! (`images.rs`).

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};

static POLICY: LazyLock<Builder<'static>> = LazyLock::new(policy);

/// Most texts take one round.
const MOST_ROUNDS: usize = 4;

const BLOCKS: [&str; 9] = ["p", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6"];

/// Removing an element can change how a browser parses the rest, so the text is cleaned
/// until nothing changes.
pub(super) fn clean(html: &str) -> Option<String> {
    let mut cleaned = POLICY.clean(html).to_string();
    for _ in 0..MOST_ROUNDS {
        let again = POLICY.clean(&cleaned).to_string();
        if again == cleaned {
            return Some(cleaned);
        }
        cleaned = again;
    }
    None
}

fn policy() -> Builder<'static> {
    let mut policy = Builder::default();
    policy
        .add_tags(["input"])
        .rm_tags(["map", "area"])
        .rm_tag_attributes("img", ["src"])
        .add_tag_attributes("input", ["type", "checked", "disabled"])
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .url_relative(UrlRelative::PassThrough)
        .link_rel(Some("nofollow noopener noreferrer"))
        .allowed_classes(HashMap::from([("a", HashSet::from(["user-mention"]))]))
        .set_tag_attribute_value("input", "type", "checkbox")
        .set_tag_attribute_value("input", "disabled", "");
    // The sanitizer does not check URLs in `cite`, and no browser shows it.
    for quoting in ["blockquote", "del", "ins", "q"] {
        policy.rm_tag_attributes(quoting, ["cite"]);
    }
    for block in BLOCKS {
        policy.set_tag_attribute_value(block, "dir", "auto");
    }
    policy
}
