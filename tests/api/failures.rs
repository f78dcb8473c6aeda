//! Whatever is wrong with a request, the answer has the one shape.

use poem::http::Method;

use crate::harness::Service;

#[tokio::test]
async fn an_unknown_route_is_404_in_the_one_shape() {
    let service = Service::start().await;
    let answer = service.anonymous().get("/nowhere").await.expect(404);
    assert_eq!(answer.message(), "Not Found");
    assert_eq!(
        answer.json()["documentation_url"],
        "https://docs.github.com/rest"
    );
    assert_eq!(
        answer.header("content-type"),
        Some("application/json; charset=utf-8")
    );
}

#[tokio::test]
async fn a_wrong_method_and_a_trailing_slash_are_404() {
    let service = Service::start().await;
    let caller = service.anonymous();
    caller
        .send(Method::DELETE, "/versions", None)
        .await
        .expect(404);
    caller.get("/versions/").await.expect(404);
}
