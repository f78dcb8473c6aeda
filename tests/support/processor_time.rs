//! Bounds what a test computes by processor time. Time on the clock would depend on what else the
//! machine does.

use std::any::type_name;
use std::process::Command;
use std::time::Duration;

use cpu_time::ProcessTime;

use super::setting;

/// Set in the process of a single test.
const ALONE: &str = "FORGEWRIGHT_TEST_ALONE";

/// Runs a test in a process of its own, so that `within` does not count the work of other tests.
pub async fn in_own_process<Test: AsyncFnOnce()>(test: Test) {
    if setting(ALONE).is_some() {
        return test().await;
    }
    let name = test_name::<Test>();
    let output = Command::new(std::env::current_exe().unwrap())
        .args([name, "--exact", "--nocapture"])
        .env(ALONE, "yes")
        .output()
        .unwrap();
    let printed = [output.stdout, output.stderr].concat();
    let printed = String::from_utf8_lossy(&printed);
    let passed = output.status.success() && printed.contains("1 passed");
    assert!(passed, "{name} in its own process:\n{printed}");
}

/// The name by which the test harness knows the test that passes a closure of this type.
fn test_name<Closure>() -> &'static str {
    let path = type_name::<Closure>();
    let path = path.split("::{{closure}}").next().unwrap_or(path);
    path.split_once("::").map_or(path, |(_, name)| name)
}

/// Fails the test if work takes as much processor time, on all threads of this process.
pub async fn within<T>(limit: Duration, what: &str, work: impl Future<Output = T>) -> T {
    assert!(setting(ALONE).is_some(), "other tests run in this process");
    let started = ProcessTime::now();
    let outcome = work.await;
    let took = started.elapsed();
    assert!(took < limit, "{what} took {took:?} of processor time");
    outcome
}
