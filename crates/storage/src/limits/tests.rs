//! Tests of the request budgets.

use super::*;

const NOON: Timestamp = Timestamp(1_773_144_000);

fn limits(anonymous: u64) -> Limits {
    Limits::new(
        Some(Budgets {
            anonymous,
            ..Budgets::default()
        }),
        None,
    )
}

#[tokio::test]
async fn a_budget_runs_out_and_comes_back_after_an_hour() {
    let limits = limits(2);
    let subject = Subject::Address(None);
    assert!(matches!(
        limits.admit(subject, NOON).await,
        Some(Admission::Admitted(_))
    ));
    assert!(matches!(
        limits.admit(subject, NOON).await,
        Some(Admission::Admitted(_))
    ));
    let Some(Admission::Refused(budget)) = limits.admit(subject, Timestamp(NOON.0 + 3599)).await
    else {
        unreachable!("the third request is over the budget")
    };
    assert_eq!(
        budget,
        RateBudget {
            limit: 2,
            used: 2,
            remaining: 0,
            reset: NOON.0 + 3600
        }
    );
    let later = Timestamp(NOON.0 + 3600);
    assert!(matches!(
        limits.admit(subject, later).await,
        Some(Admission::Admitted(_))
    ));
}

#[tokio::test]
async fn each_caller_has_a_budget_of_its_own() {
    let limits = limits(1);
    limits.admit(Subject::Address(None), NOON).await;
    assert!(matches!(
        limits.admit(Subject::User(1), NOON).await,
        Some(Admission::Admitted(RateBudget {
            used: 1,
            limit: 5000,
            ..
        }))
    ));
}

#[tokio::test]
async fn a_refund_and_a_look_cost_nothing() {
    let limits = limits(5);
    let subject = Subject::Address(None);
    limits.admit(subject, NOON).await;
    limits.refund(subject, NOON);
    assert_eq!(
        limits
            .cached_budget(subject, NOON)
            .map(|budget| budget.used),
        Some(0)
    );
}

#[tokio::test]
async fn without_budgets_nothing_is_limited() {
    assert_eq!(
        Limits::new(None, None).admit(Subject::User(1), NOON).await,
        None
    );
}

#[test]
fn a_share_is_a_hundredth_and_one_at_the_end() {
    assert_eq!(share(5000, 0), 50);
    assert_eq!(share(5000, 4000), 10);
    assert_eq!(share(5000, 4950), 1);
    assert_eq!(share(60, 0), 1);
    assert_eq!(share(10_000_000, 0), 500);
}
