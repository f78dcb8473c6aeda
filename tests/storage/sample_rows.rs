//! Inserts one valid row into every table through the entities, so that a test can read all of
//! them and violate each rule of the schema.

mod apps;
mod code;
mod conversations;
mod planning;

use sea_orm::{DbErr, EntityTrait, Set};
use storage::database::{Connection, Database};
use storage::entities::*;

const SHA: &str = "0123456789abcdef0123456789abcdef01234567";
const PARENT: &str = "89abcdef0123456789abcdef0123456789abcdef";

pub async fn insert(db: &Database) -> Result<(), DbErr> {
    let on = db.begin().await?;
    let (user, organization) = accounts(&on).await?;
    let repository = repository(&on, organization, user).await?;
    planning::fields(&on, organization).await?;
    code::git(&on, repository).await?;
    code::statuses(&on, user).await?;
    conversations::pull_request(&on, repository, user).await?;
    conversations::issue(&on, repository, user).await?;
    planning::items(&on, user).await?;
    let app = apps::apps(&on, organization, repository).await?;
    code::checks(&on, app).await?;
    on.commit().await
}

pub fn user(login: &str) -> account::ActiveModel {
    account::ActiveModel {
        login: Set(login.to_owned()),
        login_key: Set(login.to_lowercase()),
        kind: Set(account::AccountKind::User),
        created_at: Set(1),
        updated_at: Set(1),
        ..Default::default()
    }
}

async fn accounts(on: &Connection) -> Result<(i64, i64), DbErr> {
    let user = account::Entity::insert(user("alice"))
        .exec(on)
        .await?
        .last_insert_id;
    let organization = account::ActiveModel {
        kind: Set(account::AccountKind::Organization),
        base_permission: Set(Some(collaborator::Permission::Read)),
        ..self::user("acme")
    };
    let organization = account::Entity::insert(organization)
        .exec(on)
        .await?
        .last_insert_id;
    let membership = membership::ActiveModel {
        organization_id: Set(organization),
        user_id: Set(user),
        role: Set(membership::Role::Admin),
    };
    membership::Entity::insert(membership).exec(on).await?;
    let setting = setting::ActiveModel {
        key: Set("sample".to_owned()),
        value: Set("secret".to_owned()),
    };
    setting::Entity::insert(setting).exec(on).await?;
    let budget = budget::ActiveModel {
        subject: Set("user 1".to_owned()),
        resets_at: Set(3601),
        used: Set(1),
        granted: Set(1),
    };
    budget::Entity::insert(budget).exec(on).await?;
    Ok((user, organization))
}

async fn repository(on: &Connection, owner: i64, user: i64) -> Result<i64, DbErr> {
    let row = repository::ActiveModel {
        owner_id: Set(owner),
        name: Set("Widgets".to_owned()),
        name_key: Set("widgets".to_owned()),
        visibility: Set(repository::Visibility::Private),
        default_branch: Set("main".to_owned()),
        created_at: Set(1),
        updated_at: Set(1),
        ..Default::default()
    };
    let repository = repository::Entity::insert(row)
        .exec(on)
        .await?
        .last_insert_id;
    let push = repository_push::ActiveModel {
        repository_id: Set(repository),
        pushed_at: Set(1),
    };
    repository_push::Entity::insert(push).exec(on).await?;
    let row = collaborator::ActiveModel {
        repository_id: Set(repository),
        user_id: Set(user),
        permission: Set(collaborator::Permission::Maintain),
    };
    collaborator::Entity::insert(row).exec(on).await?;
    Ok(repository)
}
