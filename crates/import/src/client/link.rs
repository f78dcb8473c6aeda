//! The header `Link`: where the next page is.

use url::Url;

/// The target of the link with the relation `next`, if there is one.
pub fn next(header: &str, base: &Url) -> Option<Result<Url, url::ParseError>> {
    header.split(',').find_map(|link| {
        let (target, parameters) = link.trim().strip_prefix('<')?.split_once('>')?;
        let is_next = parameters.split(';').any(|parameter| {
            let (name, value) = parameter.split_once('=').unwrap_or_default();
            name.trim().eq_ignore_ascii_case("rel") && value.trim().trim_matches('"') == "next"
        });
        is_next.then(|| base.join(target))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_is_found_among_others() {
        let base = Url::parse("https://api.example/x").unwrap();
        let found = |header| next(header, &base).map(|url| url.unwrap().to_string());
        let header = r#"<https://api.example/x?page=1>; rel="prev", <https://api.example/x?page=3>; rel="next""#;
        assert_eq!(found(header).unwrap(), "https://api.example/x?page=3");
        assert_eq!(
            found("</x?page=2>; rel=next").unwrap(),
            "https://api.example/x?page=2"
        );
        for none in [
            "",
            "<",
            "<x",
            r#"<https://a.example>; rel="last""#,
            "x; rel=next",
        ] {
            assert_eq!(found(none), None, "{none}");
        }
    }
}
