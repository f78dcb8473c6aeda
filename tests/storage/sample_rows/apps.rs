//! An app, its installation, its token and a delivery.

use sea_orm::{DbErr, EntityTrait, Set};
use storage::database::Connection;
use storage::entities::*;

use super::user;

pub async fn apps(on: &Connection, organization: i64, repository: i64) -> Result<i64, DbErr> {
    let bot = account::ActiveModel {
        kind: Set(account::AccountKind::Bot),
        ..user("ci-bot[bot]")
    };
    let bot = account::Entity::insert(bot).exec(on).await?.last_insert_id;
    let app = app::ActiveModel {
        slug: Set("ci-bot".to_owned()),
        name: Set("CI".to_owned()),
        owner_id: Set(organization),
        client_id: Set("Iv23demo".to_owned()),
        public_key: Set("-----BEGIN PUBLIC KEY-----".to_owned()),
        bot_id: Set(bot),
        created_at: Set(1),
        updated_at: Set(1),
        ..Default::default()
    };
    let app = app::Entity::insert(app).exec(on).await?.last_insert_id;
    let installation = installation::ActiveModel {
        app_id: Set(app),
        account_id: Set(organization),
        repository_selection: Set(installation::RepositorySelection::Selected),
        created_at: Set(1),
        updated_at: Set(1),
        ..Default::default()
    };
    let installation = installation::Entity::insert(installation)
        .exec(on)
        .await?
        .last_insert_id;
    let link = installation_repository::ActiveModel {
        installation_id: Set(installation),
        repository_id: Set(repository),
    };
    installation_repository::Entity::insert(link)
        .exec(on)
        .await?;
    token(on, installation, repository).await?;
    delivery(on, app, installation).await?;
    Ok(app)
}

async fn token(on: &Connection, installation: i64, repository: i64) -> Result<(), DbErr> {
    let token = token::ActiveModel {
        hash: Set("ab".repeat(32)),
        kind: Set(token::TokenKind::Installation),
        installation_id: Set(Some(installation)),
        repository_selection: Set(Some(token::TokenSelection::Selected)),
        hint: Set("wxyz".to_owned()),
        created_at: Set(1),
        expires_at: Set(Some(3601)),
        ..Default::default()
    };
    let token = token::Entity::insert(token).exec(on).await?.last_insert_id;
    let link = token_repository::ActiveModel {
        token_id: Set(token),
        repository_id: Set(repository),
    };
    token_repository::Entity::insert(link).exec(on).await?;
    Ok(())
}

async fn delivery(on: &Connection, app: i64, installation: i64) -> Result<(), DbErr> {
    let delivery = webhook_delivery::ActiveModel {
        guid: Set("0b989ba4-242f-11e5-81e1-c7b6966d2516".to_owned()),
        app_id: Set(app),
        installation_id: Set(Some(installation)),
        event: Set("pull_request_review_comment".to_owned()),
        action: Set(Some("created".to_owned())),
        payload: Set("{}".to_owned()),
        created_at: Set(1),
        next_attempt_at: Set(1),
        ..Default::default()
    };
    webhook_delivery::Entity::insert(delivery).exec(on).await?;
    Ok(())
}
