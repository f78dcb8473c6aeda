//! The requests to compare after every step: each cacheable operation, with callers of every
//! kind, and with old and new names of renamed resources.

/// Callers, by the values of their tokens; anonymous has none.
const ANONYMOUS: &str = "";
const ALICE: &str = "alice-classic";
const BOB: &str = "bob-classic";
const CAROL: &str = "carol-classic";
const DAVE: &str = "dave-classic";
const FINE_GRAINED: &str = "alice-fine";
const OAUTH: &str = "bob-oauth";
const APP_USER: &str = "alice-app";
const INSTALLATION: &str = "ci-installation";

/// Pairs of a caller and a path. `{main}`, `{topic}` and `{tag}` are object ids.
pub const REQUESTS: [(&str, &str); 65] = [
    (ALICE, "/orgs/acme/projectsV2/1/fields?per_page=2"),
    (OAUTH, "/orgs/acme/projectsV2/1/fields"),
    (FINE_GRAINED, "/orgs/acme/projectsV2/1/fields"),
    (ALICE, "/orgs/acme/projectsV2/1/fields/6101"),
    (APP_USER, "/orgs/acme/projectsV2/1/fields/6103"),
    (DAVE, "/orgs/acme/projectsV2/1/fields/6104"),
    (ANONYMOUS, "/users/alice/projectsV2/1/fields"),
    (ALICE, "/users/alice/projectsV2/1/fields/6111"),
    (ALICE, "/orgs/acme/issue-fields"),
    (FINE_GRAINED, "/orgs/acme/issue-fields"),
    (INSTALLATION, "/orgs/acme/issue-fields"),
    (ALICE, "/orgs/globex/issue-fields"),
    (
        ALICE,
        "/repos/acme/widgets/pulls/comments?sort=updated&direction=desc&per_page=2",
    ),
    (ANONYMOUS, "/repos/acme/widgets/pulls/comments"),
    (INSTALLATION, "/repos/acme/widgets/pulls/comments/5001"),
    (ALICE, "/repos/acme/widgets/pulls/1/comments"),
    (
        DAVE,
        "/repos/acme/widgets/pulls/1/comments?per_page=1&page=2",
    ),
    (BOB, "/repos/acme/spare/pulls/1/comments"),
    (ALICE, "/repos/acme/widgets/issues/1/comments"),
    (OAUTH, "/repos/acme/widgets/issues/1"),
    (
        DAVE,
        "/repos/acme/widgets/issues/comments?sort=updated&direction=desc",
    ),
    (CAROL, "/repos/acme/widgets/issues/comments?per_page=1"),
    (ALICE, "/repos/acme/widgets/pulls/1/reviews"),
    (OAUTH, "/repos/acme/widgets/pulls/1/reviews"),
    (FINE_GRAINED, "/repos/acme/widgets/git/matching-refs/heads/"),
    (FINE_GRAINED, "/repos/acme/widgets/git/matching-refs/pull/"),
    (ALICE, "/repos/acme/widgets/git/ref/heads/topic"),
    (ALICE, "/repos/acme/widgets/git/ref/pull/1/head"),
    (ALICE, "/repos/acme/renamed/git/ref/heads/main"),
    (BOB, "/repos/umbrella/widgets/git/ref/heads/main"),
    (INSTALLATION, "/installation/repositories"),
    (APP_USER, "/user/installations"),
    (APP_USER, "/user/installations/7001/repositories"),
    (APP_USER, "/user/installations/7002/repositories"),
    (CAROL, "/repos/acme/widgets/git/refs"),
    (BOB, "/repos/acme/widgets/git/refs/heads/to"),
    (OAUTH, "/repos/acme/widgets/git/commits/{topic}"),
    (ALICE, "/repos/acme/widgets/git/tags/{tag}"),
    (BOB, "/repos/acme/widgets/git/trees/topic?recursive=1"),
    (ALICE, "/repos/acme/widgets"),
    (BOB, "/repos/acme/widgets"),
    (CAROL, "/repos/acme/widgets"),
    (ANONYMOUS, "/repos/acme/gadgets"),
    (INSTALLATION, "/repos/acme/spare"),
    (ALICE, "/repos/alicia/notes"),
    (APP_USER, "/repositories/2004"),
    (ANONYMOUS, "/repositories/2001"),
    (ALICE, "/repos/acme/widgets/pulls/1"),
    (ALICE, "/repos/acme/widgets/pulls/9"),
    (ALICE, "/repos/acme/widgets/pulls"),
    (ALICE, "/repos/acme/widgets/issues?state=all"),
    (BOB, "/repos/acme/widgets/issues?labels=bug"),
    (FINE_GRAINED, "/repos/acme/widgets/issues/1"),
    (ALICE, "/repos/acme/widgets/issues/1/labels"),
    (CAROL, "/repos/acme/widgets/labels?per_page=1"),
    (ALICE, "/repos/acme/widgets/assignees"),
    (ALICE, "/repos/acme/widgets/commits/topic/check-runs"),
    (
        BOB,
        "/repos/acme/widgets/commits/topic/check-runs?filter=all",
    ),
    (OAUTH, "/repos/acme/widgets/commits/topic/check-suites"),
    (ALICE, "/repos/acme/widgets/commits/topic/status"),
    (OAUTH, "/repos/acme/widgets/commits/heads/topic/statuses"),
    (BOB, "/repos/acme/widgets/commits/{main}/statuses"),
    (ALICE, "/user"),
    (ANONYMOUS, "/users/bob"),
    (ANONYMOUS, "/users/erin"),
];
