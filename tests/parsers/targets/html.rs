//! Checks sanitized HTML: panics on any tag, attribute or URL that could do harm.

/// Elements that load, run, frame, submit or restyle.
const TAGS: [&str; 26] = [
    "applet",
    "area",
    "audio",
    "base",
    "button",
    "embed",
    "form",
    "frame",
    "frameset",
    "iframe",
    "link",
    "map",
    "math",
    "meta",
    "noscript",
    "object",
    "option",
    "plaintext",
    "script",
    "select",
    "style",
    "svg",
    "template",
    "textarea",
    "title",
    "video",
];

/// Attributes that style, name, submit or load.
const ATTRIBUTES: [&str; 10] = [
    "action",
    "background",
    "data",
    "formaction",
    "id",
    "name",
    "poster",
    "srcdoc",
    "srcset",
    "style",
];

/// Panics unless a browser can safely show the HTML.
pub fn assert_harmless(html: &str) {
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        let tag = tag(&rest[start..]);
        check(tag, html);
        rest = &rest[start + tag.len()..];
    }
}

/// From `<` to the `>` that ends the tag, ignoring any `>` in quotes.
fn tag(text: &str) -> &str {
    let mut quote = None;
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (None, '>') => return &text[..=at],
            (None, '"' | '\'') => quote = Some(character),
            (Some(open), other) if open == other => quote = None,
            _ => {}
        }
    }
    panic!("unterminated tag: {text}");
}

fn check(tag: &str, html: &str) {
    let inner = tag[1..tag.len() - 1].trim_end_matches('/');
    let inner = inner.strip_prefix('/').unwrap_or(inner);
    let (name, attributes) = inner.split_once(' ').unwrap_or((inner, ""));
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    assert!(plain && !name.is_empty(), "{tag} in {html}");
    assert!(!TAGS.contains(&name), "{tag} in {html}");
    let mut rest = attributes.trim();
    while !rest.is_empty() {
        let (name, after) = rest.split_once("=\"").unwrap_or((rest, "\""));
        let (value, after) = after.split_once('"').unwrap_or((after, ""));
        let harmless = !name.starts_with("on") && !ATTRIBUTES.contains(&name);
        let known = name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        assert!(harmless && known, "{tag} in {html}");
        if ["href", "src", "cite"].contains(&name) {
            check_address(value, tag);
        }
        rest = after.trim();
    }
}

/// A URL must be relative or have a harmless scheme. The text before the first colon is a scheme
/// only if it has the syntax of one. Browsers skip control characters before and within it.
fn check_address(value: &str, tag: &str) {
    let significant = |character: &char| !character.is_control() && !character.is_whitespace();
    let value: String = value
        .replace("&amp;", "&")
        .chars()
        .filter(significant)
        .collect();
    let Some((scheme, _)) = value.split_once(':') else {
        return;
    };
    let letters = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    let relative = !scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        || !scheme.bytes().all(letters);
    let scheme = scheme.to_ascii_lowercase();
    let harmless = ["http", "https", "mailto"].contains(&scheme.as_str());
    assert!(relative || harmless, "{tag}");
}
