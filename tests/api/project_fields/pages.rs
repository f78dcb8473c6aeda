//! Pagination of the list of fields.

use forge::app::Settings;
use sea_orm::{ConnectionTrait, Statement};

use super::{CHORES, DIARY, PRIVATE, PUBLIC, add_text, error, errors, names, other_process};
use crate::harness::{Answer, Service};

/// The path and query of the page with this link relation.
fn linked_page(answer: &Answer, relation: &str) -> Option<String> {
    let entry = answer
        .header("link")?
        .split(", ")
        .find(|entry| entry.ends_with(&format!("rel=\"{relation}\"")))?;
    let url = entry.split(['<', '>']).nth(1).unwrap();
    let (_, path) = url.split_once("://").unwrap().1.split_once('/').unwrap();
    Some(format!("/{path}"))
}

/// The relations of the `Link` header, in order.
fn relations(answer: &Answer) -> Vec<&str> {
    let link = answer.header("link").unwrap_or_default();
    let quoted = link.split('"').skip(1).step_by(2);
    quoted.collect()
}

async fn with_fields(path: &str, count: usize) -> Service {
    let service = Service::start().await;
    for number in 1..=count {
        add_text(&service, path, &format!("F{number}")).await;
    }
    service
}

#[tokio::test]
async fn list_org_project_fields_200_page_by_page_and_back() {
    let service = with_fields(PUBLIC, 5).await;
    let reader = service.anonymous();
    let first = reader
        .get(&format!("{PUBLIC}?per_page=2"))
        .await
        .expect(200);
    assert_eq!(names(&first), ["F1", "F2"]);
    assert_eq!(relations(&first), ["next"]);
    let second = reader
        .get(&linked_page(&first, "next").unwrap())
        .await
        .expect(200);
    assert_eq!(names(&second), ["F3", "F4"]);
    assert_eq!(relations(&second), ["prev", "next"]);
    let third = reader
        .get(&linked_page(&second, "next").unwrap())
        .await
        .expect(200);
    assert_eq!(names(&third), ["F5"]);
    assert_eq!(relations(&third), ["prev"]);
    let back = reader
        .get(&linked_page(&third, "prev").unwrap())
        .await
        .expect(200);
    assert_eq!(names(&back), ["F3", "F4"]);
    let start = reader
        .get(&linked_page(&back, "prev").unwrap())
        .await
        .expect(200);
    assert_eq!(names(&start), ["F1", "F2"]);
    assert_eq!(relations(&start), ["next"]);
}

#[tokio::test]
async fn list_org_project_fields_200_without_a_link_when_the_fields_fill_one_page_exactly() {
    let service = with_fields(PUBLIC, 2).await;
    let answer = service
        .anonymous()
        .get(&format!("{PUBLIC}?per_page=2"))
        .await;
    assert_eq!(answer.expect(200).header("link"), None);
}

#[tokio::test]
async fn list_org_project_fields_200_with_no_repeats_or_gaps_when_fields_are_added_meanwhile() {
    let service = with_fields(PUBLIC, 3).await;
    let reader = service.anonymous();
    let mut seen = Vec::new();
    let mut next = Some(format!("{PUBLIC}?per_page=1"));
    for late in 4.. {
        let Some(path) = next else { break };
        let page = reader.get(&path).await.expect(200);
        seen.extend(names(&page));
        if late <= 5 {
            add_text(&service, PUBLIC, &format!("F{late}")).await;
        }
        next = linked_page(&page, "next");
    }
    assert_eq!(seen, ["F1", "F2", "F3", "F4", "F5"]);
}

#[tokio::test]
async fn list_org_project_fields_200_between_two_cursors_and_past_the_end() {
    let service = with_fields(PUBLIC, 4).await;
    let reader = service.anonymous();
    let first = reader
        .get(&format!("{PUBLIC}?per_page=1"))
        .await
        .expect(200);
    let after_1 = linked_page(&first, "next").unwrap();
    let last = reader
        .get(&after_1.replace("per_page=1", "per_page=3"))
        .await;
    let before_2 = linked_page(&last.expect(200), "prev").unwrap();
    let cursor = |path: &str| path.rsplit_once('=').unwrap().1.to_owned();
    let second = reader.get(&after_1).await.expect(200);
    let third = reader
        .get(&linked_page(&second, "next").unwrap())
        .await
        .expect(200);
    let after_3 = cursor(&linked_page(&third, "next").unwrap());
    let (one, two) = (cursor(&after_1), cursor(&before_2));
    let between = format!("{PUBLIC}?after={one}&before={after_3}");
    assert_eq!(names(&reader.get(&between).await.expect(200)), ["F2"]);
    let nothing = format!("{PUBLIC}?after={one}&before={two}");
    let nothing = reader.get(&nothing).await.expect(200);
    assert_eq!(names(&nothing), [""; 0]);
    assert_eq!(relations(&nothing), ["prev", "next"]);
    let back = reader
        .get(&linked_page(&nothing, "prev").unwrap())
        .await
        .expect(200);
    assert_eq!(names(&back), ["F1"]);
}

#[tokio::test]
async fn list_org_project_fields_422_when_a_cursor_is_invalid_or_of_another_project() {
    let service = with_fields(PUBLIC, 2).await;
    add_text(&service, PRIVATE, "Plans").await;
    let alice = service.as_("alice-classic");
    let page = alice.get(&format!("{PUBLIC}?per_page=1")).await.expect(200);
    let path = linked_page(&page, "next").unwrap();
    let cursor = path.rsplit_once('=').unwrap().1;
    for (path, field) in [
        (format!("{PUBLIC}?after=1"), "after"),
        (format!("{PUBLIC}?after={}", &cursor[1..]), "after"),
        (
            format!("{PUBLIC}?after=Y3Vyc29yOnYyOpLOAB2Ng84AgUw1"),
            "after",
        ),
        (format!("{PRIVATE}?before={cursor}"), "before"),
    ] {
        let answer = alice.get(&path).await.expect(422);
        assert_eq!(errors(&answer), error(field, "invalid"), "{path}");
    }
    let all = alice.get(PUBLIC).await.expect(200);
    for empty in ["?before=", "?after=", "?before=&after="] {
        let answer = alice.get(&format!("{PUBLIC}{empty}")).await.expect(200);
        assert_eq!(names(&answer), names(&all), "{empty}");
    }
    // Callers without access do not learn that the project exists.
    let hidden = format!("{PRIVATE}?after=1");
    service.anonymous().get(&hidden).await.expect(404);
}

#[tokio::test]
async fn list_user_project_fields_200_page_by_page() {
    let service = with_fields(DIARY, 3).await;
    let alice = service.as_("alice-classic");
    let first = alice.get(&format!("{DIARY}?per_page=2")).await.expect(200);
    let second = alice
        .get(&linked_page(&first, "next").unwrap())
        .await
        .expect(200);
    assert_eq!(names(&second), ["F3"]);
}

#[tokio::test]
async fn list_user_project_fields_422_when_a_cursor_is_invalid() {
    let service = Service::start().await;
    let path = format!("{CHORES}?after=x");
    service.as_("alice-classic").get(&path).await.expect(422);
}

#[tokio::test]
async fn every_process_on_a_database_accepts_the_same_cursors() {
    let service = with_fields(PUBLIC, 2).await;
    let other = other_process(&service, Settings::default());
    let path = format!("{PUBLIC}?per_page=1");
    let reader = service.anonymous();
    // Both processes need the cursor secret for the first time, concurrently.
    let (here, there) = tokio::join!(reader.get(&path), other.get(&path).send());
    let link = there.0.headers()["link"].to_str().unwrap();
    let here = here.expect(200);
    let cursor = |link: &str| link.split(['=', '>']).nth(2).unwrap().to_owned();
    assert_eq!(cursor(link), cursor(here.header("link").unwrap()));
    let next = linked_page(&here, "next").unwrap();
    other.get(&next).send().await.assert_status_is_ok();
}

/// The sum of all version counters. Every change of cached data increases it.
async fn versions(service: &Service) -> i64 {
    let connection = service.app.db.reads();
    let sql = "SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT) FROM version";
    let statement = Statement::from_string(connection.get_database_backend(), sql);
    let row = connection.query_one_raw(statement).await.unwrap();
    row.unwrap().try_get_by_index(0).unwrap()
}

/// Otherwise the first page would invalidate the authorization of every write in flight.
#[tokio::test]
async fn reading_pages_changes_no_version() {
    let service = with_fields(PUBLIC, 2).await;
    let before = versions(&service).await;
    let reader = service.anonymous();
    let first = reader.get(&format!("{PUBLIC}?per_page=1")).await;
    let first = first.expect(200);
    let next = linked_page(&first, "next").unwrap();
    reader.get(&next).await.expect(200);
    assert_eq!(versions(&service).await, before);
}
