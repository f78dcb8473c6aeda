//! The webhook of an app: its settings, its deliveries, and redelivery.

use forge::webhooks::Dispatcher;
use poem::http::Method;
use sea_orm::{ActiveModelTrait, EntityTrait, Set};
use serde_json::{Value, json};
use storage::entities::{app, webhook_delivery};

use super::{as_app, start};
use crate::harness::Service;
use crate::review_comments::receiver::{Receiver, header};

const CONFIG: &str = "/app/hook/config";
const DELIVERIES: &str = "/app/hook/deliveries";

async fn run_dispatcher(service: &Service) {
    let dispatcher = Dispatcher::new(service.app.clone());
    dispatcher.round().await.unwrap();
}

/// A service whose app sends its webhooks to a receiver. The first one is the ping.
async fn start_with_receiver() -> (Service, Receiver) {
    let (service, receiver) = (start().await, Receiver::start().await);
    let body = json!({"url": receiver.url, "secret": "hush"});
    as_app(&service).patch(CONFIG, body).await.expect(200);
    (service, receiver)
}

#[tokio::test]
async fn get_app_hook_config_200_shows_no_secret() {
    let service = start().await;
    let shown = as_app(&service).get(CONFIG).await.expect(200).json();
    assert_eq!(shown, json!({"content_type": "json", "insecure_ssl": "0"}));
    let (service, receiver) = start_with_receiver().await;
    let shown = as_app(&service).get(CONFIG).await.expect(200).json();
    let expected = json!({
        "url": receiver.url, "content_type": "json", "secret": "********", "insecure_ssl": "0",
    });
    assert_eq!(shown, expected);
}

#[tokio::test]
async fn update_app_hook_config_200_changes_the_given_settings_and_pings_a_new_url() {
    let (service, receiver) = start_with_receiver().await;
    run_dispatcher(&service).await;
    let received = receiver.take();
    let [(head, body)] = received.as_slice() else {
        panic!("{received:?}")
    };
    assert_eq!(header(head, "X-GitHub-Event"), Some("ping"));
    let ping: Value = serde_json::from_slice(body).unwrap();
    assert_eq!(ping["hook_id"], 6001);
    assert_eq!(ping["hook"]["config"]["secret"], "********");
    let change = json!({"secret": "********", "content_type": "form", "insecure_ssl": 1});
    let shown = as_app(&service)
        .patch(CONFIG, change)
        .await
        .expect(200)
        .json();
    assert_eq!(shown["content_type"], "form");
    assert_eq!(shown["insecure_ssl"], "1");
    assert_eq!(
        service.deliveries().await.len(),
        1,
        "no ping, because the URL is the same"
    );
    let row = app::Entity::find_by_id(6001)
        .one(service.app.db.reads())
        .await;
    let row = row.unwrap().unwrap();
    assert_eq!(row.webhook_secret.as_deref(), Some("hush"));
    let shown = as_app(&service)
        .patch(CONFIG, json!({"secret": ""}))
        .await
        .expect(200);
    assert_eq!(shown.json().get("secret"), None);
}

#[tokio::test]
async fn update_app_hook_config_400_when_the_body_is_not_json() {
    let service = start().await;
    let app = as_app(&service);
    let answer = app.send(Method::PATCH, CONFIG, Some("{".to_owned()));
    answer.await.expect(400);
}

#[tokio::test]
async fn update_app_hook_config_422_when_a_value_is_invalid() {
    let service = start().await;
    for body in [
        json!({"url": "ftp://ci.example/"}),
        json!({"url": "http://user:secret@ci.example/"}),
        json!({"url": 1}),
        json!({"content_type": "xml"}),
        json!({"insecure_ssl": "2"}),
        json!({"secret": "hush"}),
    ] {
        let answer = as_app(&service).patch(CONFIG, body.clone()).await;
        answer.expect(422);
    }
    let shown = as_app(&service).get(CONFIG).await.expect(200).json();
    assert_eq!(shown.get("url"), None);
    assert_eq!(service.deliveries().await.len(), 0);
}

#[tokio::test]
async fn deliveries_are_form_encoded_if_so_configured() {
    let (service, receiver) = start_with_receiver().await;
    let change = json!({"content_type": "form"});
    as_app(&service).patch(CONFIG, change).await.expect(200);
    run_dispatcher(&service).await;
    let (head, body) = receiver.take().remove(0);
    let media = "application/x-www-form-urlencoded";
    assert_eq!(header(&head, "Content-Type"), Some(media));
    assert!(body.starts_with(b"payload=%7B%22zen%22"));
}

#[tokio::test]
async fn insecure_ssl_accepts_any_certificate() {
    let (service, receiver) = (start().await, Receiver::start_secure().await);
    let body = json!({"url": receiver.url});
    as_app(&service).patch(CONFIG, body).await.expect(200);
    run_dispatcher(&service).await;
    assert!(receiver.take().is_empty());
    let body = json!({"url": format!("{}&y=2", receiver.url), "insecure_ssl": "1"});
    as_app(&service).patch(CONFIG, body).await.expect(200);
    run_dispatcher(&service).await;
    assert_eq!(receiver.take().len(), 1);
}

/// Inserts finished deliveries to both apps. Every third one failed.
async fn insert_deliveries(service: &Service, count: i64) {
    let on = service.app.db.begin().await.unwrap();
    for id in 1..=count {
        for app in [6001, 6002] {
            let row = webhook_delivery::ActiveModel {
                id: Set(app * 1000 + id),
                guid: Set(format!("guid-{id}")),
                app_id: Set(app),
                event: Set("push".to_owned()),
                payload: Set("{\"ref\": \"refs/heads/main\"}".to_owned()),
                created_at: Set(1),
                attempts: Set(1),
                next_attempt_at: Set(1),
                delivered_at: Set(Some(1)),
                status_code: Set(Some(if id % 3 == 0 { 502 } else { 200 })),
                status: Set(Some("status".to_owned())),
                ..Default::default()
            };
            row.insert(&*on).await.unwrap();
        }
    }
    on.commit().await.unwrap();
}

#[tokio::test]
async fn list_app_hook_deliveries_200_lists_the_newest_first() {
    let service = start().await;
    insert_deliveries(&service, 7).await;
    let app = as_app(&service);
    let ids = |answer: &Value| -> Vec<i64> {
        let items = answer.as_array().unwrap().iter();
        items
            .map(|item| item["id"].as_i64().unwrap() - 6_001_000)
            .collect()
    };
    let first = app
        .get(&format!("{DELIVERIES}?per_page=3"))
        .await
        .expect(200);
    assert_eq!(ids(&first.json()), [7, 6, 5]);
    assert_eq!(first.json()[0].get("request"), None);
    let link = first.header("link").unwrap().to_owned();
    let next = link.split(['<', '>']).nth(1).unwrap();
    let next = next.split_once("/app/").unwrap().1;
    let second = app.get(&format!("/app/{next}")).await.expect(200);
    assert_eq!(ids(&second.json()), [4, 3, 2]);
    let failed = app
        .get(&format!("{DELIVERIES}?status=failure"))
        .await
        .expect(200);
    assert_eq!(ids(&failed.json()), [6, 3]);
    assert_eq!(failed.header("link"), None);
    let passed = app
        .get(&format!("{DELIVERIES}?status=success"))
        .await
        .expect(200);
    assert_eq!(ids(&passed.json()), [7, 5, 4, 2, 1]);
}

#[tokio::test]
async fn list_app_hook_deliveries_422_when_a_parameter_is_invalid() {
    let service = start().await;
    for query in ["cursor=x", "cursor=v1_", "status=maybe"] {
        let answer = as_app(&service).get(&format!("{DELIVERIES}?{query}")).await;
        answer.expect(422);
    }
}

#[tokio::test]
async fn get_app_hook_delivery_200_shows_the_request_and_the_response() {
    let (service, receiver) = start_with_receiver().await;
    receiver.answer(&["418 Teapot"]);
    run_dispatcher(&service).await;
    let id = service.deliveries().await[0].id;
    let path = format!("{DELIVERIES}/{id}");
    let shown = as_app(&service).get(&path).await.expect(200).json();
    assert_eq!(shown["url"], *receiver.url);
    assert_eq!(shown["status_code"], 418);
    assert_eq!(shown["status"], "Invalid HTTP Response: 418");
    assert_eq!(shown["event"], "ping");
    assert_eq!(shown["action"], Value::Null);
    assert_eq!(shown["redelivery"], false);
    assert_eq!(shown["request"]["headers"]["X-GitHub-Event"], "ping");
    assert_eq!(shown["request"]["payload"]["hook_id"], 6001);
    assert_eq!(shown["response"]["headers"]["Content-Length"], "0");
    assert_eq!(shown["response"]["payload"], "");
}

#[tokio::test]
async fn get_app_hook_delivery_404_when_it_belongs_to_another_app_or_is_pending() {
    let (service, _receiver) = start_with_receiver().await;
    insert_deliveries(&service, 1).await;
    let pending = service.deliveries().await[0].id;
    for id in [pending, 6_002_001, 1, i64::MAX] {
        let path = format!("{DELIVERIES}/{id}");
        as_app(&service).get(&path).await.expect(404);
    }
}

#[tokio::test]
async fn redeliver_app_hook_delivery_202_sends_the_same_payload_again() {
    let (service, receiver) = start_with_receiver().await;
    receiver.answer(&["500 Oops"]);
    run_dispatcher(&service).await;
    let path = format!("{DELIVERIES}/{}/attempts", service.deliveries().await[0].id);
    for _ in 0..2 {
        let answer = as_app(&service).post(&path, json!({})).await;
        assert_eq!(answer.expect(202).json(), json!({}));
    }
    assert_eq!(
        service.deliveries().await.len(),
        2,
        "a pending redelivery is not queued again"
    );
    run_dispatcher(&service).await;
    let received = receiver.take();
    let guid = |index: usize| {
        header(&received[index].0, "X-GitHub-Delivery")
            .unwrap()
            .to_owned()
    };
    assert_eq!((guid(0), &received[0].1), (guid(1), &received[1].1));
    let shown = as_app(&service).get(DELIVERIES).await.expect(200).json();
    assert_eq!(shown[0]["redelivery"], true);
    assert_eq!(shown[0]["status_code"], 204);
    assert_eq!(shown[0]["guid"], shown[1]["guid"]);
}

#[tokio::test]
async fn redeliver_app_hook_delivery_404_when_it_belongs_to_another_app() {
    let service = start().await;
    insert_deliveries(&service, 1).await;
    for id in [6_002_001, 1] {
        let path = format!("{DELIVERIES}/{id}/attempts");
        as_app(&service).post(&path, json!({})).await.expect(404);
    }
    assert_eq!(service.deliveries().await.len(), 2);
}

#[tokio::test]
async fn deliveries_are_kept_for_three_days() {
    let (service, receiver) = start_with_receiver().await;
    run_dispatcher(&service).await;
    assert_eq!(receiver.take().len(), 1);
    let url = json!({"url": "http://127.0.0.1:9/elsewhere"});
    as_app(&service).patch(CONFIG, url).await.expect(200);
    let dispatcher = Dispatcher::new(service.app.clone());
    service.clock.advance(3 * 24 * 3600);
    dispatcher.delete_old().await.unwrap();
    assert_eq!(service.deliveries().await.len(), 2);
    service.clock.advance(1);
    dispatcher.delete_old().await.unwrap();
    let remaining = service.deliveries().await;
    assert_eq!(remaining.len(), 1);
    assert_eq!(
        remaining[0].delivered_at, None,
        "pending deliveries are kept"
    );
    service.execute("DELETE FROM app WHERE id = 6001").await;
    assert_eq!(service.deliveries().await.len(), 0);
}
