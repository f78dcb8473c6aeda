//! Statuses and check runs of commits.

use super::history::History;
use crate::file::Repository;
use crate::findings::Findings;

pub fn check(repository: &Repository, history: &History<'_>, findings: &mut Findings) {
    for status in &repository.statuses {
        history.require(&status.sha, findings);
        status.request.check(status.request.status(), findings);
    }
    for run in &repository.check_runs {
        history.require(&run.head_sha, findings);
        let outcome = run.request.check_run(&run.head_sha.value, 0, 0);
        run.request.check(outcome, findings);
    }
}
