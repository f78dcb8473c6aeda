//! Lists and single resources of the API, page by page. A page that the current import has
//! already comes from the disk.

use std::collections::HashSet;

use serde::de::DeserializeOwned;
use url::Url;

use crate::ImportError;
use crate::client::{AnswerPage, ApiAnswer, ApiClient, RequestRefusal};
use crate::store::AnswerStore;

/// The most pages of one list: a hundred thousand items.
pub const MAX_PAGES: usize = 1_000;

/// What a server answers about something that the token may not see or that it does not have.
pub type Allowed<T> = Result<T, RequestRefusal>;

pub struct Api {
    pub client: ApiClient,
    pub store: AnswerStore,
}

/// The items of a page: a list, or an object with a list.
pub trait ListBody: DeserializeOwned {
    type Item;

    fn items(self) -> Vec<Self::Item>;
}

impl<T: DeserializeOwned> ListBody for Vec<T> {
    type Item = T;

    fn items(self) -> Self {
        self
    }
}

impl Api {
    pub fn url(&self, segments: &[&str], query: &[(&str, &str)]) -> Result<Url, ImportError> {
        let url = self.client.root().join(segments, query);
        url.map_err(ImportError::Server)
    }

    /// A single resource.
    pub async fn one<T: DeserializeOwned>(
        &self,
        segments: &[&str],
    ) -> Result<Allowed<T>, ImportError> {
        let url = self.url(segments, &[])?;
        match self.page::<T>(&url).await? {
            Ok(page) => Ok(Ok(parsed(&url, &page.body)?)),
            Err(refusal) => Ok(Err(refusal)),
        }
    }

    /// All items of a list.
    pub async fn all<B: ListBody>(
        &self,
        segments: &[&str],
        query: &[(&str, &str)],
    ) -> Result<Allowed<Vec<B::Item>>, ImportError> {
        let mut items = Vec::new();
        let mut pages = self.pages::<B>(segments, query)?;
        loop {
            match pages.next(self).await? {
                Ok(Some(page)) => items.extend(page),
                Ok(None) => return Ok(Ok(items)),
                Err(refusal) => return Ok(Err(refusal)),
            }
        }
    }

    /// A list, to be read page by page.
    pub fn pages<B: ListBody>(
        &self,
        segments: &[&str],
        query: &[(&str, &str)],
    ) -> Result<RemainingPages<B>, ImportError> {
        let query: Vec<_> = query.iter().copied().chain([("per_page", "100")]).collect();
        Ok(RemainingPages {
            next: Some(self.url(segments, &query)?),
            seen: HashSet::new(),
            body: std::marker::PhantomData,
        })
    }

    async fn page<T: DeserializeOwned>(
        &self,
        url: &Url,
    ) -> Result<Allowed<AnswerPage>, ImportError> {
        let stored = self.store.get(url);
        let is_whole = |body: &[u8]| whole::<T>(body);
        let stored = stored.filter(|stored| is_whole(&stored.page.body).is_ok());
        if let Some(stored) = &stored
            && stored.current
        {
            return Ok(Ok(stored.page.clone()));
        }
        let etag = stored
            .as_ref()
            .and_then(|stored| stored.page.etag.as_deref());
        let page = match (self.client.get(url, etag, &is_whole).await?, &stored) {
            (ApiAnswer::Refused(refusal), _) => return Ok(Err(refusal)),
            (ApiAnswer::Whole(page), _) => page,
            (ApiAnswer::NotModified, Some(stored)) => stored.page.clone(),
            (ApiAnswer::NotModified, None) => {
                return Err(ImportError::Server(format!(
                    "{url}: 304 to a request without an ETag"
                )));
            }
        };
        self.store.put(url, &page)?;
        Ok(Ok(page))
    }
}

/// The rest of a list.
pub struct RemainingPages<B> {
    next: Option<Url>,
    seen: HashSet<Url>,
    body: std::marker::PhantomData<fn() -> B>,
}

impl<B: ListBody> RemainingPages<B> {
    /// The items of the next page; None at the end.
    pub async fn next(&mut self, api: &Api) -> Result<Allowed<Option<Vec<B::Item>>>, ImportError> {
        let Some(url) = self.next.take() else {
            return Ok(Ok(None));
        };
        if !self.seen.insert(url.clone()) {
            let message = format!("{url}: the list leads back to a page before");
            return Err(ImportError::Server(message));
        }
        if self.seen.len() > MAX_PAGES {
            let message = format!(
                "{url}: the list has more than {MAX_PAGES} pages; limit the import with --since or --pulls"
            );
            return Err(ImportError::Server(message));
        }
        match api.page::<B>(&url).await? {
            Err(refusal) => Ok(Err(refusal)),
            Ok(page) => {
                self.next = page.next.clone();
                Ok(Ok(Some(parsed::<B>(&url, &page.body)?.items())))
            }
        }
    }
}

fn whole<T: DeserializeOwned>(body: &[u8]) -> Result<(), String> {
    let parsed: Result<T, _> = serde_json::from_slice(body);
    parsed
        .map(drop)
        .map_err(|cause| format!("the answer is not what it should be: {cause}"))
}

fn parsed<T: DeserializeOwned>(url: &Url, body: &[u8]) -> Result<T, ImportError> {
    serde_json::from_slice(body).map_err(|cause| ImportError::Server(format!("{url}: {cause}")))
}

/// The segments of a path below another.
pub fn path<'p>(base: &[&'p str], rest: &[&'p str]) -> Vec<&'p str> {
    base.iter().chain(rest).copied().collect()
}
