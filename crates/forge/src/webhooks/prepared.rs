//! Deliveries of a new branch or tag, prepared before it is written. Writing it with a statement
//! for each part of its payloads would take three times as long.
//!
//! The payloads of references to one commit differ in a few places only. The text between them is
//! cached. The statement that creates the reference fills in what it alone knows, and compares the
//! versions of everything that the payloads depend on. If one has changed, a transaction of
//! several statements builds the payloads instead (`queue.rs`).

use std::sync::Arc;

use migration::aggregates::{Aggregate, Kind};
use sea_orm::{ConnectionTrait, DbBackend};
use serde_json::{Map, Value};

use super::payload::{EventContext, push};
use super::queue::{guid, installation};
use crate::events::{
    Audience, EventName, Origin, PreparedDeliveries, PreparedDelivery, PreparedPayload, RefUpdate,
    TimeFormat,
};
use contract::problem::Problem;
use contract::reply::Outcome;
use git::Sha;
use git::refs::branch_of;
use storage::cache::{Cache, CacheKind, Key, Weigh};
use storage::database::dependencies;
use storage::database::{Database, rows_with};
use storage::entities::{account, repository};

/// The most bytes of prepared payloads. Larger ones are not worth caching.
const MOST_BYTES: usize = 256 * 1024;

/// Where the payloads of new references to one commit differ: at these keys, in their order.
const HOLES_OF_CREATE: [&[&str]; 2] = [&["repository", "pushed_at"], &["ref"]];
const HOLES_OF_PUSH: [&[&str]; 4] = [
    &["repository", "pushed_at"],
    &["ref"],
    &["compare"],
    &["base_ref"],
];

/// The text of payloads between their holes. Both are empty if only a transaction can build them.
#[derive(Debug, Default)]
struct RefEvents {
    create: Vec<Arc<str>>,
    /// Also empty if no app is subscribed.
    push: Vec<Arc<str>>,
    /// The commit behind the reference.
    head: Option<Sha>,
}

impl Weigh for RefEvents {
    fn heap_bytes(&self) -> usize {
        let pieces = self.create.iter().chain(&self.push);
        pieces
            .map(|piece| piece.len() + size_of::<Arc<str>>())
            .sum()
    }
}

/// The deliveries of a new reference. None if they are large, or on PostgreSQL, where a statement
/// does not see what others have written while it waited.
pub(super) async fn deliveries(
    db: &Database,
    cache: &Cache,
    origin: &Origin<'_>,
    created: &RefUpdate<'_>,
) -> Outcome<Option<PreparedDeliveries>> {
    let Some(audience) = &origin.audience else {
        return Ok(None);
    };
    if db.reads().get_database_backend() != DbBackend::Sqlite {
        return Ok(None);
    }
    let with_push = audience.has_subscriber(EventName::Push);
    // Tracked separately: the permissions of the caller do not depend on it.
    let work = dependencies::request(async {
        db.load_versions([Aggregate::EVERYTHING]).await;
        let compute = || RefEvents::of(db, origin, created, with_push);
        let key = key(origin, created, with_push);
        dependencies::tracked(cache.get_or_compute(key, compute)).await
    });
    let (events, dependencies) = Box::pin(work).await;
    let (events, Some(dependencies)) = (events?, dependencies) else {
        return Ok(None);
    };
    if events.create.is_empty() {
        return Ok(None);
    }
    let prepared = PreparedDeliveries {
        deliveries: events.deliveries(origin, audience, created)?,
        versions: dependencies.into_stamp(),
        head: events.head,
        outbox: origin.outbox.clone(),
    };
    Ok((prepared.bytes() <= MOST_BYTES).then_some(prepared))
}

/// Everything but the name that the payloads depend on.
fn key(origin: &Origin<'_>, created: &RefUpdate<'_>, with_push: bool) -> Key {
    let sha = created.after.map(|after| after.sha.to_string());
    Key::of(CacheKind::RefEvents)
        .number(origin.repository.id)
        .number(origin.owner.id)
        .number(origin.sender.unwrap_or_default())
        .number(branch_of(created.name).is_some().into())
        .number(with_push.into())
        .text(&sha.unwrap_or_default())
        .text(&origin.urls.web)
        .text(&origin.urls.api)
}

impl RefEvents {
    async fn of(
        db: &Database,
        origin: &Origin<'_>,
        created: &RefUpdate<'_>,
        with_push: bool,
    ) -> Outcome<Self> {
        let (id, owner_id) = (origin.repository.id, origin.owner.id);
        // The rows of the grant may be older than the versions.
        let aggregates = [Kind::Repository.of(id), Kind::Account.of(owner_id)];
        let reads = db.reading(&aggregates).await;
        let rows = rows_with(reads, repository::Column::Id, [id]).await?;
        let owners = rows_with(reads, account::Column::Id, [owner_id]).await?;
        let (Some(repository), Some(owner)) = (rows.first(), owners.first()) else {
            return Ok(Self::default());
        };
        let origin = Origin {
            outbox: origin.outbox,
            repository,
            owner,
            sender: origin.sender,
            urls: origin.urls.clone(),
            now: origin.now,
            audience: None,
        };
        let context = EventContext::of_push(db, &origin).await?;
        let mut events = Self {
            create: pieces(
                context.common()?,
                context.created(created.name),
                &HOLES_OF_CREATE,
            )?,
            ..Self::default()
        };
        if with_push {
            let push = push::event_before(db, &context, created).await?;
            let Some((fields, head, _held)) = push else {
                return Ok(Self::default());
            };
            events.push = pieces(context.common()?, fields, &HOLES_OF_PUSH)?;
            events.head = head;
        }
        Ok(match events.heap_bytes() <= MOST_BYTES {
            true => events,
            false => Self::default(),
        })
    }

    /// The deliveries of one reference, in the order of its events.
    fn deliveries(
        &self,
        origin: &Origin<'_>,
        audience: &Audience,
        created: &RefUpdate<'_>,
    ) -> Outcome<Vec<PreparedDelivery>> {
        let mut deliveries = Vec::new();
        for event in [EventName::Create, EventName::Push] {
            let mut receivers = audience.receivers(event).peekable();
            if receivers.peek().is_none() {
                continue;
            }
            let guid = guid(&*origin.outbox.entropy);
            for receiver in receivers {
                let payload = match event {
                    EventName::Create => self.created(created, receiver.installation)?,
                    _ => self.pushed(origin, created, receiver.installation)?,
                };
                deliveries.push(PreparedDelivery {
                    guid: guid.clone(),
                    app: receiver.app,
                    installation: receiver.installation,
                    event,
                    recorded: !receiver.has_webhook,
                    payload,
                });
            }
        }
        Ok(deliveries)
    }

    fn created(&self, created: &RefUpdate<'_>, receiver: i64) -> Outcome<PreparedPayload> {
        let [start, until_name, rest] = &self.create[..] else {
            return Err(unexpected());
        };
        let name = text(push::short(created.name))?;
        let receiver = receiving(receiver)?;
        Ok(PreparedPayload {
            start: start.clone(),
            time: TimeFormat::Text,
            middle: [&**until_name, &name, rest, &receiver].concat(),
            end: None,
        })
    }

    fn pushed(
        &self,
        origin: &Origin<'_>,
        created: &RefUpdate<'_>,
        receiver: i64,
    ) -> Outcome<PreparedPayload> {
        let [start, until_name, until_page, until_base, rest] = &self.push[..] else {
            return Err(unexpected());
        };
        let (name, page) = (created.name, push::compare(origin, created, "", ""));
        let (name, page, receiver) = (text(name)?, text(&page)?, receiving(receiver)?);
        Ok(PreparedPayload {
            start: start.clone(),
            time: TimeFormat::Seconds,
            middle: [&**until_name, &name, until_page, &page, until_base].concat(),
            end: Some([&**rest, &receiver].concat()),
        })
    }
}

/// The end of a payload.
fn receiving(installation_id: i64) -> Outcome<String> {
    let installation = installation(installation_id);
    Ok(format!(",\"installation\":{installation}}}"))
}

fn text(text: &str) -> Outcome<String> {
    serde_json::to_string(text).map_err(Problem::internal)
}

fn unexpected() -> Problem {
    Problem::internal("a payload lacks a field")
}

/// Cuts a payload at its holes. The last piece does not end the object.
fn pieces(
    mut payload: Map<String, Value>,
    fields: Value,
    holes: &[&[&str]],
) -> Outcome<Vec<Arc<str>>> {
    if let Value::Object(fields) = fields {
        payload.extend(fields);
    }
    let mut cutter = Cutter::default();
    cutter.object(&payload, holes)?;
    cutter.cut();
    match cutter.pieces.len() == holes.len() + 1 {
        true => Ok(cutter.pieces),
        false => Err(unexpected()),
    }
}

#[derive(Default)]
struct Cutter {
    pieces: Vec<Arc<str>>,
    text: String,
}

impl Cutter {
    fn object(&mut self, object: &Map<String, Value>, holes: &[&[&str]]) -> Outcome<()> {
        for (place, (key, value)) in object.iter().enumerate() {
            self.text.push(if place == 0 { '{' } else { ',' });
            self.text.push_str(&text(key)?);
            self.text.push(':');
            let below = holes.iter().filter_map(|hole| match hole {
                [first, rest @ ..] if first == key => Some(rest),
                _ => None,
            });
            let below: Vec<&[&str]> = below.collect();
            match (&below[..], value) {
                ([], value) => self.text.push_str(&value.to_string()),
                ([[]], _) => self.cut(),
                (below, Value::Object(inner)) => {
                    self.object(inner, below)?;
                    self.text.push('}');
                }
                _ => return Err(unexpected()),
            }
        }
        Ok(())
    }

    fn cut(&mut self) {
        self.pieces.push(std::mem::take(&mut self.text).into());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_payload_is_cut_at_its_holes() {
        let payload = json!({"a": {"x": 1, "time": 2, "y": "\""}, "name": "n", "z": []});
        let holes: [&[&str]; 2] = [&["a", "time"], &["name"]];
        let cut = pieces(Map::new(), payload.clone(), &holes).unwrap();
        assert_eq!(cut.len(), 3);
        let whole = format!("{}2{}\"n\"{}}}", cut[0], cut[1], cut[2]);
        assert_eq!(whole, payload.to_string());
        let missing: [&[&str]; 1] = [&["b"]];
        assert!(pieces(Map::new(), payload, &missing).is_err());
    }
}
