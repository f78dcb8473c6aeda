//! Pagination: cursors and `Link` headers.

use std::sync::Arc;

use contract::call::RequestContext;
use contract::caller::Caller;
use contract::media::Media;
use contract::paging::{Page, PageNumber, PerPage, cursor_link};
use contract::version::ApiVersion;
use forge::projects::cursor::{List, Signer};
use poem::http::{HeaderValue, Uri};
use poem_openapi::types::ParseFromParameter;

use super::{text, two};

/// The signer accepts only cursors that it would write itself.
pub fn cursors(data: &[u8]) {
    let signer = Signer::new("the secret of the fuzzer", List::Fields).unwrap();
    let cursor = text(data);
    for project in [1, 3001] {
        if let Some(at) = signer.read(project, &cursor) {
            assert_eq!(signer.write(project, at), cursor);
        }
    }
    let mut number = [0; 16];
    let length = data.len().min(16);
    number[..length].copy_from_slice(&data[..length]);
    let [project, at] = [&number[..8], &number[8..]].map(|part| {
        let bytes: [u8; 8] = part.try_into().unwrap();
        i64::from_be_bytes(bytes)
    });
    let written = signer.write(project, at);
    assert_eq!(signer.read(project, &written), Some(at));
    assert_eq!(signer.read(project.wrapping_add(1), &written), None);
}

/// A `Link` header is a valid header value, and its URLs are the same request on this host for
/// another page.
pub fn links(data: &[u8]) {
    let (query, numbers) = two(data);
    let Ok(uri) = Uri::try_from(format!("/things?{}", text(query))) else {
        return;
    };
    let (per_page, number) = two(numbers);
    let per_page = PerPage::parse_from_parameter(&text(per_page)).unwrap_or(PerPage(30));
    let number = PageNumber::parse_from_parameter(&text(number)).unwrap_or(PageNumber(1));
    assert!((1..=100).contains(&per_page.0) && number.0 >= 1);
    let call = call(uri.query().unwrap_or_default());
    let page = Page::from((per_page, number));
    for total in [0, 1, 100, 101, u64::MAX] {
        let link = page.link(&call, total);
        let last = total.div_ceil(per_page.0).max(1);
        check(link.as_deref(), |parameter, value| {
            parameter == "page" && (1..=last).contains(&value.parse().unwrap())
        });
    }
    let link = cursor_link(&call, Some("a_b-C"), Some("a_b-C"));
    check(link.as_deref(), |parameter, value| {
        ["before", "after"].contains(&parameter) && value == "a_b-C"
    });
}

fn check(link: Option<&str>, fits: impl Fn(&str, &str) -> bool) {
    let Some(link) = link else { return };
    HeaderValue::from_str(link).unwrap();
    for entry in link.split(", ") {
        let (address, relation) = entry.split_once("; ").unwrap();
        let address = address
            .strip_prefix('<')
            .and_then(|address| address.strip_suffix('>'))
            .unwrap();
        assert!(!address.contains(['<', '>', '"', ' ', ',', ';']), "{link}");
        let relation = relation.strip_prefix("rel=\"").unwrap();
        assert!(["prev\"", "next\"", "last\"", "first\""].contains(&relation));
        let rest = address.strip_prefix("http://forge.test/things?").unwrap();
        let (_, last) = rest.rsplit_once('&').unwrap_or(("", rest));
        let (parameter, value) = last.split_once('=').unwrap();
        assert!(fits(parameter, value), "{link}");
        address.parse::<Uri>().unwrap();
    }
}

fn call(query: &str) -> RequestContext {
    RequestContext {
        caller: Arc::new(Caller::Anonymous),
        address: None,
        media: Media::Raw,
        form: None,
        version: ApiVersion::V2026_03_10,
        origin: "http://forge.test".into(),
        prefix: "",
        path: "/things".into(),
        query: query.into(),
    }
}
