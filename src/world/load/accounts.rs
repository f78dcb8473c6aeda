//! Users, organizations and their members.

use std::collections::{BTreeSet, HashMap};

use sea_orm::{DbErr, EntityTrait, QueryFilter};

use super::LoadError;
use super::stored::batches;
use super::write::{Row, UNASSIGNED, Writing};
use crate::entities::account::Kind;
use crate::entities::collaborator::Permission;
use crate::entities::{account, membership};
use crate::world::file::{BasePermission, Organization, Role, User, World};

pub async fn write(writing: &mut Writing<'_>, world: &World) -> Result<(), LoadError> {
    for user in &world.users {
        write_user(writing, user).await?;
    }
    for organization in &world.organizations {
        write_organization(writing, organization).await?;
    }
    Ok(write_members(writing, world).await?)
}

/// A row for an account that does not exist yet.
pub fn new_account(login: &str, kind: Kind, now: i64) -> account::Model {
    account::Model {
        id: UNASSIGNED,
        login: login.to_owned(),
        login_key: login.to_lowercase(),
        kind,
        name: None,
        site_admin: false,
        mannequin: false,
        base_permission: (kind == Kind::Organization).then_some(Permission::Read),
        created_at: now,
        updated_at: now,
    }
}

async fn write_user(writing: &mut Writing<'_>, user: &User) -> Result<(), DbErr> {
    let login = &user.login.value;
    let stored = writing.stored.account(login).cloned();
    let mut row = stored
        .clone()
        .unwrap_or_else(|| new_account(login, Kind::User, writing.now));
    row.id = user.id.as_ref().map_or(row.id, |id| id.value.0);
    row.login.clone_from(login);
    row.name = user
        .name
        .as_ref()
        .map(|name| name.value.clone())
        .or(row.name);
    row.site_admin = user.site_admin.unwrap_or(row.site_admin);
    row.mannequin = user.mannequin.unwrap_or(row.mannequin);
    row.date(user.created_at, stored.is_none());
    let row = writing.keep(stored.as_ref(), row).await?;
    writing.tell("user", login, row.id);
    writing.stored.put_account(row);
    Ok(())
}

async fn write_organization(
    writing: &mut Writing<'_>,
    organization: &Organization,
) -> Result<(), DbErr> {
    let login = &organization.login.value;
    let stored = writing.stored.account(login).cloned();
    let mut row = stored
        .clone()
        .unwrap_or_else(|| new_account(login, Kind::Organization, writing.now));
    row.id = organization.id.as_ref().map_or(row.id, |id| id.value.0);
    row.login.clone_from(login);
    let name = organization.name.as_ref().map(|name| name.value.clone());
    row.name = name.or(row.name);
    row.base_permission = organization
        .base_permission
        .map(base_permission)
        .or(row.base_permission);
    row.date(organization.created_at, stored.is_none());
    let row = writing.keep(stored.as_ref(), row).await?;
    writing.tell("organization", login, row.id);
    writing.stored.put_account(row);
    Ok(())
}

fn base_permission(permission: BasePermission) -> Permission {
    match permission {
        BasePermission::None => Permission::None,
        BasePermission::Read => Permission::Read,
        BasePermission::Write => Permission::Write,
        BasePermission::Admin => Permission::Admin,
    }
}

async fn write_members(writing: &mut Writing<'_>, world: &World) -> Result<(), DbErr> {
    let mut organizations = BTreeSet::new();
    for organization in &world.organizations {
        organizations.insert(writing.stored.account_id(&organization.login.value)?);
    }
    let mut stored: HashMap<(i64, i64), membership::Model> = HashMap::new();
    for organizations in batches(&organizations) {
        let found = membership::Entity::find()
            .filter(membership::COLUMN.organization_id.is_in(organizations))
            .all(writing.db)
            .await?;
        stored.extend(
            found
                .into_iter()
                .map(|row| ((row.organization_id, row.user_id), row)),
        );
    }
    for organization in &world.organizations {
        let organization_id = writing.stored.account_id(&organization.login.value)?;
        for member in &organization.members {
            let user_id = writing.stored.account_id(&member.login.value)?;
            let stored = stored.get(&(organization_id, user_id));
            let row = membership::Model {
                organization_id,
                user_id,
                role: match (member.role, stored) {
                    (Some(Role::Admin), _) => membership::Role::Admin,
                    (Some(Role::Member), _) | (None, None) => membership::Role::Member,
                    (None, Some(row)) => row.role,
                },
            };
            writing.keep(stored, row).await?;
        }
    }
    Ok(())
}
