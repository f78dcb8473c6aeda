//! The cache stays within its limit, whatever clients request.

use crate::support::process::ServerProcess;

/// Each request has a different query. The responses exceed the cache more than three times.
const REQUESTS: usize = 140;

/// The length of a query: just below the limit for a request's headers.
const QUERY: usize = 60_000;

/// How much the process may grow, in megabytes: the cache of 32, and about 25 for handling these
/// requests even without a cache.
const GROWTH: f64 = 80.0;

/// A `Link` header repeats the query up to four times and encodes each comma as three
/// characters, so such a response takes 780 kB.
#[test]
fn long_queries_do_not_outgrow_the_cache() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--memory", "32", "--rate-limits", "off"];
    let server = ServerProcess::start(
        folder.path(),
        &[&options[..], &["--log-level", "warn"]].concat(),
    );
    let get = |number: usize, commas: usize| {
        let path = "/repos/acme/gadgets/pulls/comments?per_page=1&page=2&padding=";
        let path = format!("{path}{number}{}", ",".repeat(commas));
        let (status, body) = server.get(&path, Some("ghp_demo_alice_admin"));
        assert_eq!(status, 200, "{body}");
    };
    get(0, 0);
    let before = resident(server.child.id());
    for number in 1..=REQUESTS {
        get(number, QUERY);
    }
    let after = resident(server.child.id());
    assert!(
        after - before < GROWTH,
        "the process grew from {before:.0} MB to {after:.0} MB"
    );
}

/// The resident memory of a process, in megabytes.
fn resident(process: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kilobytes = line.unwrap().split_whitespace().nth(1).unwrap();
    kilobytes.parse::<f64>().unwrap() / 1024.0
}
