//! The `Accept` header: which representation of a body text the caller wants,
//! and whether JSON is welcome at all. Any vendor token is taken, because
//! clients send `github` where the specification writes `<vendor>`.

/// Which forms of a comment's text an answer carries (Spec, Custom media types).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Media {
    /// `body`: the Markdown as it was written.
    #[default]
    Raw,
    /// `body_text`: the rendering without its markup.
    Text,
    /// `body_html`: the rendering.
    Html,
    /// All three.
    Full,
}

impl Media {
    pub fn has_raw(self) -> bool {
        matches!(self, Self::Raw | Self::Full)
    }

    pub fn has_text(self) -> bool {
        matches!(self, Self::Text | Self::Full)
    }

    pub fn has_html(self) -> bool {
        matches!(self, Self::Html | Self::Full)
    }

    /// Reads an Accept header. `None` means that no JSON of ours is acceptable.
    /// Of several acceptable ranges the one with the highest weight counts, the
    /// first of equals.
    pub fn accepted(header: Option<&str>) -> Option<Self> {
        let header = header.map_or("", str::trim);
        if header.is_empty() {
            return Some(Self::default());
        }
        let mut best: Option<(f32, Self)> = None;
        for range in header.split(',') {
            let (name, parameters) = range.split_once(';').unwrap_or((range, ""));
            let weight = weight(parameters);
            let better = best.is_none_or(|(heaviest, _)| weight > heaviest);
            if let Some(media) = Self::of_type(name.trim()).filter(|_| weight > 0.0 && better) {
                best = Some((weight, media));
            }
        }
        best.map(|(_, media)| media)
    }

    fn of_type(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        if matches!(name.as_str(), "*/*" | "application/*" | "application/json") {
            return Some(Self::default());
        }
        let subtype = name.strip_prefix("application/vnd.")?;
        let subtype = subtype.strip_suffix("+json").unwrap_or(subtype);
        let form = subtype.rsplit('.').next().unwrap_or_default();
        Some(match form {
            "text" => Self::Text,
            "html" => Self::Html,
            "full" => Self::Full,
            _ => Self::Raw,
        })
    }
}

/// The weight of a range (RFC 9110, 12.4.2); one that is none counts as 1.
fn weight(parameters: &str) -> f32 {
    parameters
        .split(';')
        .filter_map(|parameter| parameter.split_once('='))
        .filter(|(name, _)| name.trim().eq_ignore_ascii_case("q"))
        .filter_map(|(_, weight)| weight.trim().parse().ok())
        .find(|weight| (0.0..=1.0).contains(weight))
        .unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_clients_send_by_default_means_raw() {
        for header in [
            None,
            Some(""),
            Some("*/*"),
            Some("application/json"),
            Some("application/vnd.github+json"),
            Some("application/vnd.github.v3+json"),
            Some("application/vnd.acme+json"),
            Some("application/vnd.github.squirrel-girl-preview+json"),
            Some("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
        ] {
            assert_eq!(Media::accepted(header), Some(Media::Raw), "{header:?}");
        }
    }

    #[test]
    fn the_four_forms_are_recognised_in_every_spelling() {
        for (form, media) in [
            ("raw", Media::Raw),
            ("text", Media::Text),
            ("html", Media::Html),
            ("full", Media::Full),
        ] {
            for header in [
                format!("application/vnd.github-commitcomment.{form}+json"),
                format!("application/vnd.acme-commitcomment.{form}+json"),
                format!("application/vnd.github.{form}+json"),
                format!("application/vnd.github.v3.{form}+json"),
                format!("application/vnd.github.v3.{form}"),
                format!("text/plain, application/vnd.github.{form}+json;q=0.5"),
            ] {
                assert_eq!(Media::accepted(Some(&header)), Some(media), "{header}");
            }
        }
    }

    #[test]
    fn the_heaviest_range_wins() {
        let header =
            "application/vnd.github.text+json;q=0.2, application/vnd.github.html+json;q=0.9";
        assert_eq!(Media::accepted(Some(header)), Some(Media::Html));
    }

    #[test]
    fn a_caller_who_takes_no_json_is_turned_away() {
        for header in [
            "application/xml",
            "text/html",
            "application/json;q=0",
            "application/json; Q=0.0",
            "garbage",
        ] {
            assert_eq!(Media::accepted(Some(header)), None, "{header}");
        }
    }
}
