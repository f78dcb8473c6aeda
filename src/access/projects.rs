//! A project on behalf of a caller. Public projects are for everybody to read;
//! private ones look absent to all but those who belong to the owner.

use std::sync::Arc;

use migration::aggregates::Kind;
use sea_orm::{EntityTrait, QueryFilter};

use super::{Access, has_scope, not_suspended, refused};
use crate::contract::call::Call;
use crate::contract::caller::Caller;
use crate::contract::problem::Problem;
use crate::contract::reply::Outcome;
use crate::contract::shared::address::{ProjectAddress, ProjectOwner};
use crate::database::Reads;
use crate::entities::repository::Visibility;
use crate::entities::{account, project};

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
        let of_user = matches!(at.owner, ProjectOwner::User(_));
        if of_user && !call.rule()?.kinds.include(caller) {
            return Err(refused(caller, NOT_FOR_THIS_TOKEN));
        }
        not_suspended(caller)?;
        let found = self.find_project(at).await?;
        let (project, owner) = found.ok_or(Problem::NotFound)?;
        self.check_project(call, &project, &owner).await?;
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
        let (login, kind) = match &at.owner {
            ProjectOwner::Organization(login) => (login, account::Kind::Organization),
            ProjectOwner::User(login) => (login, account::Kind::User),
        };
        let Some(owner) = self.find_account(login, kind).await? else {
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

    async fn check_project(
        &self,
        call: &Call,
        project: &project::Model,
        owner: &account::Model,
    ) -> Outcome<()> {
        let (caller, rule) = (&*call.caller, call.rule()?);
        let public = project.visibility == Visibility::Public;
        if public && call.operation.reads_only() {
            return Ok(());
        }
        let hidden = |problem: Problem| if public { problem } else { Problem::NotFound };
        if caller.is_anonymous() {
            return Err(hidden(Problem::Unauthenticated));
        }
        let belongs = match caller.user() {
            Some(user) if owner.kind == account::Kind::Organization => {
                self.membership(owner.id, user.id).await?.is_some()
            }
            Some(user) => user.id == owner.id,
            None => true,
        };
        if !belongs {
            return Err(hidden(refused(caller, NOT_A_MEMBER)));
        }
        if let Some(scopes) = caller.scopes() {
            return if has_scope(scopes, rule.scopes) {
                Ok(())
            } else {
                Err(hidden(refused(caller, NOT_FOR_THIS_TOKEN)))
            };
        }
        let granted = self.account_permissions(caller, owner.id).await?;
        let granted = granted.ok_or_else(|| hidden(refused(caller, NOT_A_MEMBER)))?;
        let trusted = rule.permission.is_some_and(|(name, level)| {
            granted.get(name).is_some_and(|granted| *granted >= level)
        });
        if trusted {
            Ok(())
        } else {
            Err(refused(caller, NOT_FOR_THIS_TOKEN))
        }
    }
}

const NOT_FOR_THIS_TOKEN: &str = "Your token has not been granted the required scopes to execute \
                                  this operation";
const NOT_A_MEMBER: &str = "Must have write access to the project";
