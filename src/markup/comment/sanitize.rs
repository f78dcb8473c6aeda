//! Which HTML may come out, whatever went in: text-level and block elements,
//! links to the web, and check boxes that cannot be used. No script, no style, no
//! form, nothing that loads or runs by itself, and no name that could be mistaken
//! for one of the page around it. Images keep their words and lose their address
//! (`images.rs`).

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};

static POLICY: LazyLock<Builder<'static>> = LazyLock::new(policy);

/// Hardly any text takes more than one.
const MOST_ROUNDS: usize = 4;

const BLOCKS: [&str; 9] = ["p", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6"];

/// Browsers read some HTML otherwise after an element is taken out of it, so it
/// is cleaned until nothing changes any more.
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
    // No address is checked in a `cite`, and nobody sees it.
    for quoting in ["blockquote", "del", "ins", "q"] {
        policy.rm_tag_attributes(quoting, ["cite"]);
    }
    for block in BLOCKS {
        policy.set_tag_attribute_value(block, "dir", "auto");
    }
    policy
}
