//! No request holds a permit for heavy work while it waits for its client.

use std::time::Duration;

use poem::Body;
use poem::http::Method;
use storage::limits::Subject;
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

use super::{ALICE, start};

/// A caller that waits longer waits forever.
const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_file_that_arrives_slowly_holds_no_permit() {
    let service = start().await;
    // More than the server reads before it authorizes a request.
    let padding = " ".repeat(200_000);
    let (mut writer, reader) = tokio::io::duplex(1024);
    let sending = async {
        let begin = format!("{{\"message\": \"slow\",{padding}");
        writer.write_all(begin.as_bytes()).await.unwrap();
        let mut permits = Vec::new();
        for caller in 0..service.app.db.heavy() as i64 {
            let caller = service.app.permits.of(Subject::User(9000 + caller));
            let permit = timeout(PATIENCE, caller.acquire()).await;
            permits.push(permit.expect("the request holds a permit"));
        }
        drop(permits);
        writer.write_all(b"\"content\": \"MQ==\"}").await.unwrap();
        drop(writer);
    };
    let alice = service.as_(ALICE);
    let path = "/repos/acme/widgets/contents/slow";
    let answer = alice.send_body(Method::PUT, path, Body::from_async_read(reader));
    let (answer, ()) = tokio::join!(answer, sending);
    answer.expect(201);
}
