//! Calls every operation of the service with octocrab: with its method if it has one, and with
//! a raw request otherwise.

mod git_refs;
mod installations;
mod issue_fields;
mod project_fields;
mod review_comments;

use std::env;
use std::fmt::Debug;

use octocrab::service::middleware::cache::mem::InMemoryCache;
use octocrab::{Error, GitHubError, Octocrab};

fn server() -> String {
    env::var("FORGEWRIGHT_URL").expect("run this through tests/clients/run, which starts a server")
}

/// A client with a token. It caches responses and revalidates them.
fn by_token(token: &str) -> Octocrab {
    Octocrab::builder()
        .base_uri(server())
        .unwrap()
        .personal_token(token)
        .cache(InMemoryCache::new())
        .build()
        .unwrap()
}

fn alice() -> Octocrab {
    by_token("alice-classic")
}

fn anonymous() -> Octocrab {
    Octocrab::builder()
        .base_uri(server())
        .unwrap()
        .build()
        .unwrap()
}

/// Expects an error response with this status.
#[track_caller]
fn refused<T: Debug>(outcome: octocrab::Result<T>, status: u16) -> GitHubError {
    match outcome {
        Err(Error::GitHub { source, .. }) => {
            assert_eq!(source.status_code.as_u16(), status, "{source:?}");
            *source
        }
        other => panic!("not an error response of the service: {other:?}"),
    }
}

/// How many responses of an operation had this status.
async fn response_count(operation: &str, status: u16) -> u64 {
    let crab = anonymous();
    let response = crab._get("/metrics").await.unwrap();
    let text = crab.body_to_string(response).await.unwrap();
    let counter =
        format!("forgewright_requests_total{{operation=\"{operation}\",status=\"{status}\",");
    let counts = text.lines().filter(|line| line.starts_with(&counter));
    counts
        .map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap())
        .sum()
}
