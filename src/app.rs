//! What every area holds: the database, the clock, who may what, and the
//! settings of this server.

use std::sync::Arc;

use crate::access::Access;
use crate::cache::{Cache, CacheSize};
use crate::clock::Clock;
use crate::database::Database;
use crate::entropy::Entropy;
use crate::heavy::Turns;
use crate::limits::content::{ContentBudget, ContentLimits};
use crate::limits::{Budgets, Limits};
use crate::notify::address::Networks;
use crate::notify::{Outbox, Trust};

/// A running service, before it is given to the web.
pub struct App {
    pub db: Database,
    pub clock: Arc<dyn Clock>,
    pub entropy: Arc<dyn Entropy>,
    pub access: Access,
    pub limits: Limits,
    pub content_limits: ContentLimits,
    /// Where the dispatcher hears of new deliveries.
    pub outbox: Outbox,
    pub cache: Arc<Cache>,
    /// For work that takes long.
    pub turns: Arc<Turns>,
    pub settings: Settings,
}

/// What an operator may choose about how the service answers.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Scheme, host and port to name in links, for a server behind a proxy; the
    /// host that the caller used if there is none.
    pub base_url: Option<String>,
    /// Requests an hour; none means no limits.
    pub budgets: Option<Budgets>,
    /// How many comments an account may write, and how often the same one; none means
    /// no limits.
    pub content: Option<ContentBudget>,
    /// How far webhooks may go.
    pub webhooks_to: Networks,
    /// Whose certificates receivers of webhooks may have.
    pub webhook_trust: Trust,
    /// Whether the visibility of issue fields is shown and takes effect (Spec,
    /// Issue fields: "only used when the visibility settings feature is enabled").
    pub issue_field_visibility: bool,
    /// How much may be cached.
    pub cache: CacheSize,
}

impl App {
    pub fn new(
        db: Database,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        settings: Settings,
    ) -> Arc<Self> {
        let cache = Arc::new(Cache::new(db.clone(), settings.cache));
        Arc::new(Self {
            access: Access::new(db.clone(), clock.clone(), cache.clone()),
            cache,
            limits: Limits::new(settings.budgets, Some(&db)),
            content_limits: ContentLimits::new(settings.content),
            outbox: Outbox::default(),
            turns: Turns::new(db.heavy()),
            db,
            clock,
            entropy,
            settings,
        })
    }
}
