//! A repository on behalf of a caller: found and allowed, refused, or hidden.

use std::collections::BTreeSet;
use std::sync::Arc;

use migration::aggregates::{Aggregate, Kind};
use sea_orm::{DbErr, EntityTrait, QueryFilter};

use super::credential::parsed;
use super::decision::{
    CREATE_LABELS, TokenAccess, check_access, forbidden, granted_role, label_denial,
    may_change_workflows, missing_alternative,
};
use super::denial::{DenialReason, NoAccess};
use super::explained::{RefusedResource, refusal};
use super::{Access, access_denied, aggregates_of, has_scope, not_suspended};
use contract::call::Call;
use contract::caller::{Caller, Permissions};
use contract::operation::Rule;
use contract::problem::Problem;
use contract::reply::Outcome;
use contract::shared::address::RepoAddress;
use storage::cache::{CacheKind, Key, Weigh};
use storage::database::Connection;
use storage::entities::collaborator::Permission;
use storage::entities::repository::Visibility;
use storage::entities::{account, installation, installation_repository, repository};

/// A repository that the caller may use for the operation.
#[derive(Debug, Clone)]
pub struct RepositoryGrant {
    pub repository: repository::Model,
    pub owner: account::Model,
    pub caller: Arc<Caller>,
    /// The caller's role: at least `Read`. The role of an installation
    /// token follows from its grants.
    pub role: Permission,
    token_access: Arc<TokenAccess>,
    rule: &'static Rule,
    /// Whether the repository is public and the operation only reads, so that it requires no
    /// permission.
    open: bool,
}

impl RepositoryGrant {
    /// `acme/gadgets`, in the case in which it was created.
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.owner.login, self.repository.name)
    }

    /// Rejects changes of an archived or disabled repository.
    pub fn writable(&self) -> Outcome<()> {
        let reason = match (self.repository.archived, self.repository.disabled) {
            (true, _) => "Repository was archived so is read-only.",
            (false, true) => "Repository access blocked",
            (false, false) => return Ok(()),
        };
        Err(Problem::Forbidden(reason.into()))
    }

    /// Whether the caller may use the operation for issues but not for pull requests, or the
    /// reverse.
    pub fn is_partial(&self) -> bool {
        self.missing_alternative().is_some()
    }

    fn missing_alternative(&self) -> Option<Rule> {
        match self.open {
            true => None,
            false => missing_alternative(self.rule, &self.token_access),
        }
    }

    /// Refuses an issue, or a pull request, if the token has only the permission for the other.
    pub fn check_issue_kind(&self, is_pull: bool) -> Outcome<()> {
        let needed = match is_pull {
            true => "pull_requests",
            false => "issues",
        };
        let missing = self.missing_alternative();
        let missing =
            missing.filter(|rule| rule.permission.is_some_and(|(name, _)| name == needed));
        match missing {
            Some(rule) => {
                let reason = self.token_access.permission_denial();
                let problem = forbidden(&self.caller, &rule, &reason);
                Err(self.refusal(&rule, problem, reason))
            }
            None => Ok(()),
        }
    }

    fn refusal(&self, rule: &Rule, problem: Problem, reason: DenialReason) -> Problem {
        let resource = || RefusedResource::repository(&self.owner.login, &self.repository.name);
        refusal(&self.caller, Some(rule), (problem, reason), resource)
    }

    /// Whether the caller may push changes of workflow files.
    pub fn may_change_workflows(&self) -> bool {
        may_change_workflows(&self.caller, &self.token_access)
    }

    /// The error for changes of workflow files, which need a permission of their
    /// own.
    pub fn without_workflows(&self) -> Problem {
        access_denied(
            &self.caller,
            "Refusing to create or update workflow files without the `workflow` scope",
        )
    }

    /// Checks that the caller may create the labels that an issue gets.
    pub fn may_create_labels(&self) -> Outcome<()> {
        let Some(reason) = label_denial(&self.token_access, self.role) else {
            return Ok(());
        };
        let problem = Problem::ForbiddenField {
            resource: "Repository",
            field: "label",
            message: "You do not have permission to create labels on this repository.".into(),
        };
        Err(self.refusal(&CREATE_LABELS, problem, reason))
    }
}

/// The approximate bytes of the texts of a grant.
const GRANT_TEXT: usize = 1024;

/// The approximate bytes of a permission of a token.
const PERMISSION: usize = 64;

impl Weigh for RepositoryGrant {
    fn heap_bytes(&self) -> usize {
        let permissions = self.token_access.permissions.as_ref();
        GRANT_TEXT + permissions.map_or(0, Permissions::len) * PERMISSION
    }
}

impl Access {
    /// The repository that a path names, for one operation.
    #[tracing::instrument(level = "debug", name = "access", skip_all)]
    pub async fn repository(&self, call: &Call, at: &RepoAddress) -> Outcome<RepositoryGrant> {
        not_suspended(&call.caller)?;
        let key = grant_key(call, at);
        let find = || self.find_grant(call, at);
        let grant = self.cache.get_or_compute(key, find).await?;
        Ok(Arc::unwrap_or_clone(grant))
    }

    async fn find_grant(&self, call: &Call, at: &RepoAddress) -> Outcome<RepositoryGrant> {
        self.reading(&aggregates_of(&call.caller)).await;
        let found = self.find_repository(at).await?;
        let (repository, owner) = found.ok_or_else(|| {
            let resource = || RefusedResource::repository(&at.owner, &at.repo);
            refusal(
                &call.caller,
                None,
                (Problem::NotFound, DenialReason::Absent),
                resource,
            )
        })?;
        self.grant(call, repository, owner).await
    }

    /// The repository with this id, for one operation.
    #[tracing::instrument(level = "debug", name = "access", skip_all)]
    pub async fn repository_by_id(&self, call: &Call, id: i64) -> Outcome<RepositoryGrant> {
        not_suspended(&call.caller)?;
        let found = self.find_repository_by_id(id).await?;
        let (repository, owner) = found.ok_or_else(|| {
            let resource = || RefusedResource::of(format!("repository {id}"), "");
            refusal(
                &call.caller,
                None,
                (Problem::NotFound, DenialReason::Absent),
                resource,
            )
        })?;
        self.grant(call, repository, owner).await
    }

    /// The id of the repository that a path names, without access control.
    pub async fn repository_id(&self, at: &RepoAddress) -> Outcome<Option<i64>> {
        let found = self.find_repository(at).await?;
        Ok(found.map(|(repository, _)| repository.id))
    }

    async fn find_repository(&self, at: &RepoAddress) -> Outcome<Option<RepositoryAndOwner>> {
        let (owner, name) = (&at.owner.to_lowercase(), &at.repo.to_lowercase());
        let find = |reads: Arc<Connection>| async move {
            let by_name = repository::Entity::find()
                .find_also_related(account::Entity)
                .filter(account::COLUMN.login_key.eq(owner.as_str()))
                .filter(repository::COLUMN.name_key.eq(name.as_str()));
            with_owner(by_name.one(&*reads).await?)
        };
        Ok(self.db.resolve(find, repository_aggregates).await?)
    }

    pub(super) async fn find_repository_by_id(
        &self,
        id: i64,
    ) -> Outcome<Option<RepositoryAndOwner>> {
        let find = |reads: Arc<Connection>| async move {
            let by_id = repository::Entity::find_by_id(id).find_also_related(account::Entity);
            with_owner(by_id.one(&*reads).await?)
        };
        Ok(self.db.resolve(find, repository_aggregates).await?)
    }

    async fn grant(
        &self,
        call: &Call,
        repository: repository::Model,
        owner: account::Model,
    ) -> Outcome<RepositoryGrant> {
        let (caller, rule) = (&call.caller, call.rule()?);
        let public = repository.visibility == Visibility::Public;
        let token_access = self.token_access(caller, rule, &repository).await?;
        let role = match caller.user() {
            Some(user) => self.role(user.id, &repository, &owner).await?,
            None => granted_role(&token_access, rule),
        };
        let role = if public {
            role.max(Permission::Read)
        } else {
            role
        };
        let refuse = |problem: Problem, reason: DenialReason| {
            let resource = || RefusedResource::repository(&owner.login, &repository.name);
            refusal(caller, Some(rule), (problem, reason), resource)
        };
        if let Some(reason) = invisible(&token_access, role).filter(|_| !public) {
            return Err(refuse(Problem::NotFound, reason));
        }
        if caller.is_anonymous() && !rule.anonymous {
            return Err(refuse(Problem::Unauthenticated, DenialReason::Token));
        }
        let open = public && call.operation.reads_only();
        if !open {
            let outcome = check_access(caller, rule, &token_access, role, public);
            outcome.map_err(|reason| refuse(forbidden(caller, rule, &reason), reason))?;
        }
        Ok(RepositoryGrant {
            caller: caller.clone(),
            repository,
            owner,
            role,
            token_access: Arc::new(token_access),
            rule,
            open,
        })
    }

    async fn token_access(
        &self,
        caller: &Caller,
        rule: &Rule,
        repository: &repository::Model,
    ) -> Outcome<TokenAccess> {
        Ok(match caller {
            Caller::Anonymous => TokenAccess::nothing(NoAccess::NoToken),
            Caller::App { .. } => TokenAccess::nothing(NoAccess::AppItself),
            Caller::Classic { scopes, .. } | Caller::OAuth { scopes, .. } => TokenAccess {
                no_access: no_access(scopes, rule),
                permissions: None,
                installation: None,
            },
            Caller::FineGrained { owner, .. } if *owner != repository.owner_id => {
                TokenAccess::nothing(NoAccess::ResourceOwner)
            }
            Caller::FineGrained {
                reach, permissions, ..
            } => match reach.covers(repository.id) {
                true => TokenAccess::with(permissions.clone(), None),
                false => TokenAccess::nothing(NoAccess::TokenSelection),
            },
            Caller::Installation { account, .. } if *account != repository.owner_id => {
                TokenAccess::nothing(NoAccess::Account)
            }
            // A narrowed token never has more access than its installation has now.
            Caller::Installation {
                installation,
                selected,
                reach,
                permissions,
                ..
            } => {
                if !reach.covers(repository.id) {
                    TokenAccess::nothing(NoAccess::TokenSelection)
                } else if *selected && !self.is_selected(*installation, repository.id).await? {
                    TokenAccess::nothing(NoAccess::Selection(*installation))
                } else {
                    TokenAccess::with(permissions.clone(), None)
                }
            }
            Caller::AppUser { app, .. } => self.installed(*app, repository).await?,
        })
    }

    /// The grants of an app that is installed on a repository.
    async fn installed(&self, app: i64, repository: &repository::Model) -> Outcome<TokenAccess> {
        let row = self.installation_on(app, repository.owner_id).await?;
        let Some(row) = row else {
            return Ok(TokenAccess::nothing(NoAccess::NotInstalled));
        };
        if row.suspended_at.is_some() {
            return Ok(TokenAccess::nothing(NoAccess::Suspended(row.id)));
        }
        let covered = match row.repository_selection {
            installation::RepositorySelection::All => true,
            installation::RepositorySelection::Selected => {
                self.is_selected(row.id, repository.id).await?
            }
        };
        Ok(match covered {
            true => TokenAccess::with(parsed(&row.permissions)?, Some(row.id)),
            false => TokenAccess::nothing(NoAccess::Selection(row.id)),
        })
    }

    /// Whether an installation with selected repositories includes this one.
    async fn is_selected(&self, installation: i64, repository: i64) -> Outcome<bool> {
        let row = installation_repository::Entity::find_by_id((installation, repository))
            .one(self.reading(&[Kind::Installation.of(installation)]).await)
            .await?;
        Ok(row.is_some())
    }
}

/// The scopes that a classic or OAuth token lacks to see private repositories.
fn no_access(scopes: &BTreeSet<String>, rule: &Rule) -> Option<NoAccess> {
    let accepted = match rule.scopes {
        [] => &["repo"],
        accepted => accepted,
    };
    (!has_scope(scopes, accepted)).then_some(NoAccess::Scope(accepted))
}

/// Why a private repository looks absent to a caller, if it does.
fn invisible(token_access: &TokenAccess, role: Permission) -> Option<DenialReason> {
    let needed = Permission::Read;
    let role = (role < needed).then_some(DenialReason::Role {
        needed,
        found: role,
    });
    let no_access = token_access.no_access.clone().map(DenialReason::from);
    no_access.or(role)
}

type RepositoryAndOwner = (repository::Model, account::Model);

fn with_owner(
    row: Option<(repository::Model, Option<account::Model>)>,
) -> Result<Option<RepositoryAndOwner>, DbErr> {
    Ok(row.and_then(|(repository, owner)| Some((repository, owner?))))
}

fn repository_aggregates((repository, owner): &RepositoryAndOwner) -> Vec<Aggregate> {
    vec![
        Kind::Repository.of(repository.id),
        Kind::Account.of(owner.id),
    ]
}

/// A grant depends on the caller's aggregates, so it is never returned to a caller that
/// was identified before something about them changed.
fn grant_key(call: &Call, at: &RepoAddress) -> Key {
    Key::of(CacheKind::Grant)
        .number(call.caller.token().unwrap_or_default())
        .text(call.operation.id)
        .text(&at.owner.to_lowercase())
        .text(&at.repo.to_lowercase())
}
