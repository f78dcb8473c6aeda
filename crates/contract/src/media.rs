//! The `Accept` header: the requested formats of a text, and whether the client accepts JSON.
//! Any vendor token is accepted, because clients send `github` where the specification writes
//! `<vendor>`.

/// The formats of a comment's text in a response (Spec, Custom media types).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Media {
    /// `body`: the Markdown source.
    #[default]
    Raw,
    /// `body_text`: plain text.
    Text,
    /// `body_html`: HTML.
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

    /// Whether texts are rendered. Such a response is not cached: it depends on which mentioned
    /// accounts exist, and no version tracks that.
    pub fn is_rendered(self) -> bool {
        self.has_text() || self.has_html()
    }

    fn of_parameter(parameter: &str) -> Option<Self> {
        match parameter {
            "raw" => Some(Self::Raw),
            "text" => Some(Self::Text),
            "html" => Some(Self::Html),
            "full" => Some(Self::Full),
            _ => None,
        }
    }
}

/// A response format that only some operations have, in place of the usual JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The changes in the format of `git diff`.
    Diff,
    /// The changes in the format of `git format-patch`.
    Patch,
    /// The SHA-1 of the commit alone.
    Sha,
    /// The raw content.
    Raw,
    /// The content as HTML.
    Html,
    /// JSON that is always an object.
    Object,
}

impl Form {
    /// The name in the media type: `diff` in `application/vnd.github.diff`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Diff => "diff",
            Self::Patch => "patch",
            Self::Sha => "sha",
            Self::Raw => "raw",
            Self::Html => "html",
            Self::Object => "object",
        }
    }

    /// The form that a parameter names. With `+json`, `diff`, `patch` and `sha` name none.
    fn of_parameter(parameter: &str, json: bool) -> Option<Self> {
        match parameter {
            "diff" if !json => Some(Self::Diff),
            "patch" if !json => Some(Self::Patch),
            "sha" if !json => Some(Self::Sha),
            "raw" => Some(Self::Raw),
            "html" => Some(Self::Html),
            "object" => Some(Self::Object),
            _ => None,
        }
    }
}

/// The negotiated media type of a response.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NegotiatedMedia {
    pub media: Media,
    /// The preferred form, for operations that have it.
    pub form: Option<Form>,
    /// Whether the type names only the form, not JSON.
    only_form: bool,
    /// The part of the client's type besides vendor and version: `full` in
    /// `application/vnd.github.v3.full+json`.
    pub parameter: Option<String>,
}

impl NegotiatedMedia {
    /// Reads an `Accept` header. `None` means that the service has no acceptable format. The
    /// range with the highest weight wins, the first one of equals. If it names only a form,
    /// the heaviest range with JSON is kept for operations without that form.
    pub fn of(header: Option<&str>) -> Option<Self> {
        let header = header.map_or("", str::trim);
        if header.is_empty() {
            return Some(Self::default());
        }
        let mut best: Option<(f32, Self)> = None;
        let mut json: Option<(f32, Self)> = None;
        for range in header.split(',') {
            let (name, parameters) = range.split_once(';').unwrap_or((range, ""));
            let weight = weight(parameters);
            let Some(accepted) = Self::of_type(name.trim()).filter(|_| weight > 0.0) else {
                continue;
            };
            let better = |than: &Option<(f32, Self)>| {
                than.as_ref().is_none_or(|(heaviest, _)| weight > *heaviest)
            };
            if !accepted.only_form && better(&json) {
                json = Some((weight, accepted.clone()));
            }
            if better(&best) {
                best = Some((weight, accepted));
            }
        }
        match (best, json) {
            (Some((_, best)), Some((_, json))) if best.only_form => Some(Self {
                form: best.form,
                ..json
            }),
            (best, _) => best.map(|(_, accepted)| accepted),
        }
    }

    /// A type with `+json` is served whatever its parameter. A type without a suffix is served
    /// if it names a known form; `diff`, `patch`, `sha` and `object` are not the usual JSON.
    fn of_type(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        if matches!(name.as_str(), "*/*" | "application/*" | "application/json") {
            return Some(Self::default());
        }
        let vendor_type = name.strip_prefix("application/vnd.")?;
        let (vendor_type, json) = match vendor_type.split_once('+') {
            Some((vendor_type, suffix)) => (vendor_type, suffix == "json"),
            None => (vendor_type, false),
        };
        let words = vendor_type.split('.').skip(1);
        let parameter = words.filter(|word| !is_version(word)).last();
        let media = parameter.map_or(Some(Media::default()), Media::of_parameter);
        let preview = parameter.is_some_and(|word| word.ends_with("-preview"));
        let form = parameter.and_then(|word| Form::of_parameter(word, json));
        let form = form.filter(|_| json || !name.contains('+'));
        let usual = json || (!name.contains('+') && (media.is_some() || preview));
        (usual || form.is_some()).then(|| Self {
            media: media.unwrap_or_default(),
            form,
            only_form: !usual,
            parameter: parameter.filter(|word| is_plain(word)).map(str::to_owned),
        })
    }
}

/// Letters, digits and hyphens: nothing else is echoed in a response.
fn is_plain(word: &str) -> bool {
    !word.is_empty()
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Whether a word is a version, such as `v3`. All responses have the same one.
fn is_version(word: &str) -> bool {
    let digits = word.strip_prefix('v').unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The weight of a range (RFC 9110, 12.4.2). An invalid weight counts as 1.
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

    fn media(header: Option<&str>) -> Option<Media> {
        NegotiatedMedia::of(header).map(|accepted| accepted.media)
    }

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
            Some("application/vnd.github.machine-man-preview"),
            Some("application/vnd.github.diff, application/json"),
            Some("application/vnd.github.diff+json"),
            Some("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
        ] {
            assert_eq!(media(header), Some(Media::Raw), "{header:?}");
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
                assert_eq!(self::media(Some(&header)), Some(media), "{header}");
            }
        }
    }

    #[test]
    fn the_heaviest_range_wins() {
        let header =
            "application/vnd.github.text+json;q=0.2, application/vnd.github.html+json;q=0.9";
        assert_eq!(media(Some(header)), Some(Media::Html));
    }

    #[test]
    fn the_parameter_follows_vendor_and_version() {
        for (header, parameter) in [
            ("application/json", None),
            ("application/vnd.github+json", None),
            ("application/vnd.github.v3+json", None),
            ("application/vnd.github.v3.full+json", Some("full")),
            ("application/vnd.acme-commitcomment.html+json", Some("html")),
            (
                "application/vnd.github.machine-man-preview+json",
                Some("machine-man-preview"),
            ),
        ] {
            let accepted = NegotiatedMedia::of(Some(header)).unwrap();
            assert_eq!(accepted.parameter.as_deref(), parameter, "{header}");
        }
    }

    #[test]
    fn a_client_that_accepts_no_json_is_refused() {
        for header in [
            "application/xml",
            "text/html",
            "application/json;q=0",
            "application/json; Q=0.0",
            "garbage",
            "application/vnd.github+xml",
            "application/vnd.github.v3.full+xml",
            "application/vnd.github.diff+xml",
        ] {
            assert_eq!(media(Some(header)), None, "{header}");
        }
    }

    #[test]
    fn special_forms_differ_from_the_usual_json() {
        for (header, form, only_form) in [
            ("application/vnd.github.diff", Some(Form::Diff), true),
            ("application/vnd.github.v3.patch", Some(Form::Patch), true),
            ("application/vnd.github.sha", Some(Form::Sha), true),
            ("application/vnd.github.object", Some(Form::Object), true),
            (
                "application/vnd.github.object+json",
                Some(Form::Object),
                false,
            ),
            ("application/vnd.github.v3.raw", Some(Form::Raw), false),
            ("application/vnd.github.raw+json", Some(Form::Raw), false),
            (
                "application/vnd.github.diff, application/json",
                Some(Form::Diff),
                false,
            ),
            ("application/json, application/vnd.github.diff", None, false),
            ("application/vnd.github.diff;q=0.1, */*", None, false),
            ("application/vnd.github.diff+json", None, false),
        ] {
            let accepted = NegotiatedMedia::of(Some(header)).unwrap();
            assert_eq!(
                (accepted.form, accepted.only_form),
                (form, only_form),
                "{header}"
            );
        }
    }
}
