//! Requests with a whole file in their body: received at the client's pace, and then parsed and
//! processed under a permit.

use super::{compute, with_permit};
use contract::body::{LargeBody, Readable};
use contract::problem::Problem;
use contract::reply::Outcome;

/// Receives a body, prepares it on a blocking thread, and processes the result. Small
/// bodies need no permit.
pub async fn with_body<T, Prepared, Done, Working>(
    body: LargeBody<T>,
    prepare: impl FnOnce(T) -> Outcome<Prepared> + Send + 'static,
    work: impl FnOnce(Prepared) -> Working,
) -> Outcome<Done>
where
    T: Readable,
    Prepared: Send + 'static,
    Working: Future<Output = Outcome<Done>>,
{
    let large = body.is_large;
    let received = body.receive().await?;
    let prepare = move || LargeBody::parse(&received).and_then(prepare);
    match large {
        true => {
            let all = async {
                let prepared = compute(prepare).await.map_err(Problem::internal)??;
                work(prepared).await
            };
            with_permit(all).await
        }
        false => work(prepare()?).await,
    }
}
