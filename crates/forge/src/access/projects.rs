//! A project on behalf of a caller. Everybody can read public projects;
//! private ones look absent to all but their owner, or its members.

use std::sync::Arc;

use migration::aggregates::Kind;
use sea_orm::{EntityTrait, QueryFilter};

use super::denial::{DenialReason, Refusal};
use super::explained::{RefusedResource, refusal};
use super::{Access, access_denied, has_scope, not_suspended};
use contract::call::Call;
use contract::caller::Caller;
use contract::problem::Problem;
use contract::reply::Outcome;
use contract::shared::address::{ProjectAddress, ProjectOwner};
use storage::database::Connection;
use storage::entities::repository::Visibility;
use storage::entities::{account, membership, project};

/// A project that the caller may use for the operation.
#[derive(Debug, Clone)]
pub struct ProjectGrant {
    pub project: project::Model,
    pub owner: account::Model,
    pub caller: Arc<Caller>,
}

impl Access {
    /// The project of an organization, or of a user, that a path names.
    #[tracing::instrument(level = "debug", name = "access", skip_all)]
    pub async fn project(&self, call: &Call, at: &ProjectAddress) -> Outcome<ProjectGrant> {
        let caller = &call.caller;
        // Spec, Authentication, rules 3 and 5: which kinds of token projects of users accept does
        // not depend on the project, so it reveals nothing. Projects of organizations have no such
        // rule: an app that signed its own token may read what everybody may read.
        let of_user = !matches!(at.owner, ProjectOwner::Organization(_));
        let rule = call.rule()?;
        let refuse = |denial: Refusal| {
            let resource = || resource(at.number, at.owner.named());
            refusal(caller, Some(rule), denial, resource)
        };
        if of_user && !rule.kinds.include(caller) {
            let problem = access_denied(caller, NOT_FOR_THIS_TOKEN);
            return Err(refuse((problem, DenialReason::of_kind(caller))));
        }
        not_suspended(caller)?;
        let found = self.find_project(at).await?;
        let (project, owner) = found.map_err(|reason| refuse((Problem::NotFound, reason)))?;
        let checked = self.check_project(call, &project, &owner).await?;
        checked.map_err(|denial| {
            let resource = || resource(at.number, &owner.login);
            refusal(caller, Some(rule), denial, resource)
        })?;
        Ok(ProjectGrant {
            project,
            owner,
            caller: caller.clone(),
        })
    }

    async fn find_project(
        &self,
        at: &ProjectAddress,
    ) -> Outcome<Result<(project::Model, account::Model), DenialReason>> {
        let owner = match &at.owner {
            ProjectOwner::Organization(login) => {
                self.find_account(login, account::AccountKind::Organization)
                    .await?
            }
            ProjectOwner::User(login) => {
                self.find_account(login, account::AccountKind::User).await?
            }
            ProjectOwner::UserId(id) => self.find_user(id).await?.ok_or(DenialReason::Absent),
        };
        let owner = match owner {
            Ok(owner) => owner,
            Err(reason) => return Ok(Err(reason)),
        };
        let find = |reads: Arc<Connection>| async move {
            let numbered = project::Entity::find()
                .filter(project::COLUMN.owner_id.eq(owner.id))
                .filter(project::COLUMN.number.eq(at.number));
            numbered.one(&*reads).await
        };
        let belongs = |row: &project::Model| vec![Kind::Project.of(row.id)];
        let project = self.db.resolve(find, belongs).await?;
        let project = project.ok_or(DenialReason::Absent);
        Ok(project.map(|project| (project, owner)))
    }

    /// The user with an id, as a path has it.
    async fn find_user(&self, id: &str) -> Outcome<Option<account::Model>> {
        let Ok(id) = id.parse::<i64>() else {
            return Ok(None);
        };
        let reads = self.reading(&[Kind::Account.of(id)]).await;
        let account = account::Entity::find_by_id(id).one(reads).await?;
        Ok(account.filter(|account| account.kind == account::AccountKind::User))
    }

    async fn check_project(
        &self,
        call: &Call,
        project: &project::Model,
        owner: &account::Model,
    ) -> Outcome<Result<(), Refusal>> {
        let (caller, rule) = (&*call.caller, call.rule()?);
        let public = project.visibility == Visibility::Public;
        if public && call.operation.reads_only() {
            return Ok(Ok(()));
        }
        let hidden = |problem: Problem, reason: DenialReason| match public {
            true => Ok(Err((problem, reason))),
            false => Ok(Err((Problem::NotFound, reason))),
        };
        if caller.is_anonymous() {
            return hidden(Problem::Unauthenticated, DenialReason::Token);
        }
        if let Some(reason) = self.missing_membership(caller, owner).await? {
            return hidden(access_denied(caller, NOT_A_MEMBER), reason);
        }
        if let Some(scopes) = caller.scopes() {
            return match has_scope(scopes, rule.scopes) {
                true => Ok(Ok(())),
                false => hidden(
                    access_denied(caller, NOT_FOR_THIS_TOKEN),
                    DenialReason::Scope(rule.scopes),
                ),
            };
        }
        let granted = match self.account_permissions(caller, owner.id).await? {
            Ok(granted) => granted,
            Err(reason) => return hidden(access_denied(caller, NOT_A_MEMBER), reason.into()),
        };
        let is_granted = rule.permission.is_some() && rule.is_granted(&granted.permissions);
        let reason = DenialReason::Permission {
            installation: granted.installation,
            granted: granted.permissions,
        };
        Ok(match is_granted {
            true => Ok(()),
            false => Err((access_denied(caller, NOT_FOR_THIS_TOKEN), reason)),
        })
    }

    /// What a user lacks to be the owner of a project or its member. An app has no user.
    async fn missing_membership(
        &self,
        caller: &Caller,
        owner: &account::Model,
    ) -> Outcome<Option<DenialReason>> {
        let Some(user) = caller.user() else {
            return Ok(None);
        };
        if owner.kind != account::AccountKind::Organization {
            return Ok((user.id != owner.id).then_some(DenialReason::Ownership));
        }
        let found = self.membership(owner.id, user.id).await?;
        let needed = membership::Role::Member;
        Ok(found
            .is_none()
            .then_some(DenialReason::Membership { needed, found }))
    }
}

fn resource(number: i64, owner: &str) -> RefusedResource {
    RefusedResource::of(format!("project {number} of {owner}"), owner)
}

const NOT_FOR_THIS_TOKEN: &str = "Your token has not been granted the required scopes to execute \
                                  this operation";
const NOT_A_MEMBER: &str = "Must have write access to the project";
