//! Users, organizations and their members.

use std::collections::HashMap;

use sea_orm::DbErr;

use super::LoadError;
use super::write::{Load, UNASSIGNED, WorldItem};
use crate::file::{Organization, User, World};
use crate::yaml::value_of;
use storage::database::rows_with;
use storage::entities::account::AccountKind;
use storage::entities::collaborator::Permission;
use storage::entities::{account, membership};

pub async fn write(load: &mut Load<'_>, world: &World) -> Result<(), LoadError> {
    for user in &world.users {
        write_user(load, user).await?;
    }
    for organization in &world.organizations {
        write_organization(load, organization).await?;
    }
    Ok(write_members(load, world).await?)
}

/// A row for an account that does not exist yet.
pub fn new_account(login: &str, kind: AccountKind, now: i64) -> account::Model {
    account::Model {
        id: UNASSIGNED,
        login: login.to_owned(),
        login_key: login.to_lowercase(),
        kind,
        name: None,
        site_admin: false,
        mannequin: false,
        base_permission: (kind == AccountKind::Organization).then_some(Permission::Read),
        created_at: now,
        updated_at: now,
    }
}

async fn write_user(load: &mut Load<'_>, user: &User) -> Result<(), DbErr> {
    let login = &user.login.value;
    let stored = load.stored.account(login).cloned();
    let mut row = stored
        .clone()
        .unwrap_or_else(|| new_account(login, AccountKind::User, load.now));
    row.login.clone_from(login);
    row.name = value_of(&user.name).or(row.name);
    row.site_admin = user.site_admin.unwrap_or(row.site_admin);
    row.mannequin = user.mannequin.unwrap_or(row.mannequin);
    let item = WorldItem {
        kind: "user",
        name: login.clone(),
        id: &user.id,
        created_at: user.created_at,
        updated_at: None,
    };
    let row = load.save(item, stored.as_ref(), row).await?;
    load.stored.put_account(row);
    Ok(())
}

async fn write_organization(load: &mut Load<'_>, organization: &Organization) -> Result<(), DbErr> {
    let login = &organization.login.value;
    let stored = load.stored.account(login).cloned();
    let mut row = stored
        .clone()
        .unwrap_or_else(|| new_account(login, AccountKind::Organization, load.now));
    row.login.clone_from(login);
    row.name = value_of(&organization.name).or(row.name);
    let base = organization.base_permission.map(|spec| spec.0);
    row.base_permission = base.or(row.base_permission);
    let item = WorldItem {
        kind: "organization",
        name: login.clone(),
        id: &organization.id,
        created_at: organization.created_at,
        updated_at: None,
    };
    let row = load.save(item, stored.as_ref(), row).await?;
    load.stored.put_account(row);
    Ok(())
}

async fn write_members(load: &mut Load<'_>, world: &World) -> Result<(), DbErr> {
    let logins = world.organizations.iter().map(|item| &item.login.value);
    let ids = logins.map(|login| load.stored.account_id(login));
    let ids: Vec<i64> = ids.collect::<Result<_, _>>()?;
    let rows = rows_with(load.db, membership::Column::OrganizationId, ids).await?;
    let rows = rows
        .into_iter()
        .map(|row| ((row.organization_id, row.user_id), row));
    let stored: HashMap<_, _> = rows.collect();
    for organization in &world.organizations {
        let organization_id = load.stored.account_id(&organization.login.value)?;
        for member in &organization.members {
            let user_id = load.stored.account_id(&member.login.value)?;
            let stored = stored.get(&(organization_id, user_id));
            let role = member.role.or(stored.map(|row| row.role));
            let row = membership::Model {
                organization_id,
                user_id,
                role: role.unwrap_or(membership::Role::Member),
            };
            load.upsert(stored, row).await?;
        }
    }
    Ok(())
}
