//! A project on behalf of a caller. Public projects are for everybody to read;
//! private ones look absent to all but those who belong to the owner.

use std::sync::Arc;

use migration::aggregates::Kind;
use sea_orm::{EntityTrait, QueryFilter};

use super::explained::{Thing, refusal};
use super::lack::{Lack, Refusal};
use super::{Access, has_scope, not_suspended, refused};
use crate::contract::call::Call;
use crate::contract::caller::Caller;
use crate::contract::problem::Problem;
use crate::contract::reply::Outcome;
use crate::contract::shared::address::{ProjectAddress, ProjectOwner};
use crate::database::Reads;
use crate::entities::repository::Visibility;
use crate::entities::{account, membership, project};

/// A project that the caller may use for the operation it asked for.
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
        // Spec, Authentication, rules 3 and 5: which kinds of token work at all
        // on projects of users does not depend on the project, so it reveals
        // nothing. Projects of organizations have no such rule: what
        // everybody may read, an app that has signed for itself may read too.
        let of_user = !matches!(at.owner, ProjectOwner::Organization(_));
        let rule = call.rule()?;
        let refuse = |refused: Refusal| {
            let thing = || thing(at.number, at.owner.named());
            refusal(caller, Some(rule), refused, thing)
        };
        if of_user && !rule.kinds.include(caller) {
            let problem = refused(caller, NOT_FOR_THIS_TOKEN);
            return Err(refuse((problem, Lack::of_kind(caller))));
        }
        not_suspended(caller)?;
        let found = self.find_project(at).await?;
        let absent = || refuse((Problem::NotFound, Lack::Absent));
        let (project, owner) = found.ok_or_else(absent)?;
        let checked = self.check_project(call, &project, &owner).await?;
        checked.map_err(|refused| {
            let thing = || thing(at.number, &owner.login);
            refusal(caller, Some(rule), refused, thing)
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
    ) -> Outcome<Option<(project::Model, account::Model)>> {
        let owner = match &at.owner {
            ProjectOwner::Organization(login) => {
                self.find_account(login, account::AccountKind::Organization)
                    .await?
            }
            ProjectOwner::User(login) => {
                self.find_account(login, account::AccountKind::User).await?
            }
            ProjectOwner::UserId(id) => self.find_user(id).await?,
        };
        let Some(owner) = owner else {
            return Ok(None);
        };
        let find = |reads: Reads| async move {
            let numbered = project::Entity::find()
                .filter(project::COLUMN.owner_id.eq(owner.id))
                .filter(project::COLUMN.number.eq(at.number));
            numbered.one(&reads).await
        };
        let belongs = |row: &project::Model| vec![Kind::Project.of(row.id)];
        let project = self.db.resolve(find, belongs).await?;
        Ok(project.map(|project| (project, owner)))
    }

    /// The user with an id, as a path has it.
    async fn find_user(&self, id: &str) -> Outcome<Option<account::Model>> {
        let Ok(id) = id.parse::<i64>() else {
            return Ok(None);
        };
        let reads = self.reading(&[Kind::Account.of(id)]).await;
        let found = account::Entity::find_by_id(id).one(reads).await?;
        Ok(found.filter(|account| account.kind == account::AccountKind::User))
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
        let hidden = |problem: Problem, lack: Lack| match public {
            true => Ok(Err((problem, lack))),
            false => Ok(Err((Problem::NotFound, lack))),
        };
        if caller.is_anonymous() {
            return hidden(Problem::Unauthenticated, Lack::Token);
        }
        if let Some(lack) = self.stranger(caller, owner).await? {
            return hidden(refused(caller, NOT_A_MEMBER), lack);
        }
        if let Some(scopes) = caller.scopes() {
            return match has_scope(scopes, rule.scopes) {
                true => Ok(Ok(())),
                false => hidden(
                    refused(caller, NOT_FOR_THIS_TOKEN),
                    Lack::Scope(rule.scopes),
                ),
            };
        }
        let granted = match self.account_permissions(caller, owner.id).await? {
            Ok(granted) => granted,
            Err(reason) => return hidden(refused(caller, NOT_A_MEMBER), reason.into()),
        };
        let trusted = rule.permission.is_some_and(|(name, level)| {
            let held = granted.permissions.get(name);
            held.is_some_and(|held| *held >= level)
        });
        let installation = granted.installation;
        Ok(match trusted {
            true => Ok(()),
            false => Err((
                refused(caller, NOT_FOR_THIS_TOKEN),
                Lack::Permission { installation },
            )),
        })
    }

    /// What a user lacks to belong to the owner of a project. An app has no user.
    async fn stranger(&self, caller: &Caller, owner: &account::Model) -> Outcome<Option<Lack>> {
        let Some(user) = caller.user() else {
            return Ok(None);
        };
        if owner.kind != account::AccountKind::Organization {
            return Ok((user.id != owner.id).then_some(Lack::Ownership));
        }
        let found = self.membership(owner.id, user.id).await?;
        let needed = membership::Role::Member;
        Ok(found
            .is_none()
            .then_some(Lack::Membership { needed, found }))
    }
}

fn thing(number: i64, owner: &str) -> Thing {
    Thing::of(format!("project {number} of {owner}"), owner)
}

const NOT_FOR_THIS_TOKEN: &str = "Your token has not been granted the required scopes to execute \
                                  this operation";
const NOT_A_MEMBER: &str = "Must have write access to the project";
