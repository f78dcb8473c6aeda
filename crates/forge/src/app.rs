//! The state that every noun shares: the database, the clock, access control and the
//! settings of this server.

use std::sync::Arc;
use std::time::Duration;

use crate::access::{Access, RepositoryGrant};
use crate::events::{Audience, Deliver, Origin, Outbox};
use crate::outbound::Trust;
use crate::outbound::address::Networks;
use crate::tools::Tools;
use contract::call::Call;
use contract::reply::Outcome;
use git::uploads::Uploads;
use storage::cache::{Cache, CacheKind, CacheSize, Key};
use storage::clock::Clock;
use storage::database::{Database, dependencies};
use storage::entities::repository;
use storage::entropy::Entropy;
use storage::heavy::{Permits, RequestMemory};
use storage::limits::content::{ContentBudget, ContentLimits};
use storage::limits::{Budgets, Limits};

/// A running service, before the web layer is added.
pub struct App {
    pub db: Database,
    pub clock: Arc<dyn Clock>,
    pub entropy: Arc<dyn Entropy>,
    pub access: Access,
    pub limits: Limits,
    pub content_limits: ContentLimits,
    /// Wakes the dispatcher when there are new deliveries.
    pub outbox: Outbox,
    /// The pushes whose objects are being stored.
    pub uploads: Arc<Uploads>,
    pub cache: Arc<Cache>,
    /// Semaphore permits for heavy work.
    pub permits: Arc<Permits>,
    pub settings: Settings,
    /// The parts of this world that the control API uses, if it is served.
    pub tools: Option<Arc<Tools>>,
}

/// Operator settings for how the service answers.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Scheme, host and port for links, for a server behind a proxy. By default the host
    /// that the caller used.
    pub base_url: Option<String>,
    /// The path below which this world is served: empty, or `/_worlds/name`.
    pub mount: String,
    /// Whether the control API is served.
    pub control: bool,
    /// How long a request may take after it has arrived; `None` for no limit.
    pub request_timeout: Option<Duration>,
    /// Requests per hour; `None` disables the limits.
    pub budgets: Option<Budgets>,
    /// Content limits of an account; `None` disables them.
    pub content: Option<ContentBudget>,
    /// The networks that webhooks may reach.
    pub webhooks_to: Networks,
    /// The certificate authorities that webhooks trust.
    pub webhook_trust: Trust,
    /// How often a failed webhook is tried again.
    pub webhook_retries: u8,
    /// Whether the visibility of issue fields is shown and enforced (Spec,
    /// Issue fields: "only used when the visibility settings feature is enabled").
    pub issue_field_visibility: bool,
    /// The size limit of the cache.
    pub cache: CacheSize,
    /// The budget for what requests hold, which all worlds of the process share.
    pub memory: Arc<RequestMemory>,
}

impl App {
    /// `deliver` writes the deliveries of events; `router::app` passes that of `webhooks`.
    pub fn new(
        db: Database,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        settings: Settings,
        deliver: Arc<dyn Deliver>,
    ) -> Arc<Self> {
        let cache = Arc::new(Cache::new(db.clone(), settings.cache));
        let tools = settings
            .control
            .then(|| Arc::new(Tools::over(clock.clone())));
        let clock: Arc<dyn Clock> = match &tools {
            Some(tools) => tools.clock.clone(),
            None => clock,
        };
        let outbox = Outbox::new(deliver, entropy.clone(), tools.clone());
        Arc::new(Self {
            uploads: Uploads::new(outbox.signal()),
            access: Access::new(db.clone(), clock.clone(), cache.clone()),
            cache,
            limits: Limits::new(settings.budgets, Some(&db)),
            content_limits: ContentLimits::new(settings.content),
            outbox,
            permits: Permits::new(db.heavy(), settings.memory.clone()),
            db,
            clock,
            entropy,
            tools,
            settings,
        })
    }

    /// The origin of a change in a repository.
    pub fn origin<'a>(&'a self, call: &Call, grant: &'a RepositoryGrant) -> Origin<'a> {
        Origin::of(&self.outbox, call, grant, self.clock.now().0)
    }

    /// The installations that receive the events of a repository, as of this request. Their
    /// dependencies are tracked separately: the permissions of the caller do not depend on them.
    pub async fn audience(&self, repository: &repository::Model) -> Outcome<Arc<Audience>> {
        let key = Key::of(CacheKind::Receivers).number(repository.id);
        let compute = || Audience::of(&self.db, repository, self.settings.control);
        Ok(dependencies::request(self.cache.get_or_compute(key, compute)).await?)
    }
}
