//! Fields, projects and their items.

use sea_orm::{DbErr, EntityTrait, Set};
use storage::database::Connection;
use storage::entities::*;

pub async fn fields(on: &Connection, organization: i64) -> Result<(), DbErr> {
    let issue_field = issue_field(on, organization).await?;
    let project = project::ActiveModel {
        owner_id: Set(organization),
        number: Set(1),
        title: Set("Roadmap".to_owned()),
        visibility: Set(repository::Visibility::Public),
        created_at: Set(1),
        updated_at: Set(1),
        ..Default::default()
    };
    let project = project::Entity::insert(project)
        .exec(on)
        .await?
        .last_insert_id;
    let bare = project_field::ActiveModel {
        project_id: Set(project),
        created_at: Set(1),
        updated_at: Set(1),
        ..Default::default()
    };
    let mirror = project_field::ActiveModel {
        issue_field_id: Set(Some(issue_field)),
        ..bare.clone()
    };
    project_field::Entity::insert(mirror).exec(on).await?;
    let sprint = project_field::ActiveModel {
        name: Set(Some("Sprint".to_owned())),
        name_key: Set(Some("sprint".to_owned())),
        data_type: Set(Some(project_field::ProjectFieldDataType::Iteration)),
        iteration_duration: Set(Some(14)),
        iteration_start_day: Set(Some(1)),
        ..bare
    };
    let field = project_field::Entity::insert(sprint)
        .exec(on)
        .await?
        .last_insert_id;
    option_and_iteration(on, field).await
}

async fn issue_field(on: &Connection, organization: i64) -> Result<i64, DbErr> {
    let row = issue_field::ActiveModel {
        organization_id: Set(organization),
        name: Set("Priority".to_owned()),
        name_key: Set("priority".to_owned()),
        data_type: Set(issue_field::IssueFieldDataType::SingleSelect),
        visibility: Set(issue_field::FieldVisibility::OrganizationMembersOnly),
        created_at: Set(1),
        updated_at: Set(1),
        ..Default::default()
    };
    let field = issue_field::Entity::insert(row)
        .exec(on)
        .await?
        .last_insert_id;
    let row = issue_field_option::ActiveModel {
        field_id: Set(field),
        name: Set("High".to_owned()),
        name_key: Set("high".to_owned()),
        color: Set(issue_field_option::IssueFieldOptionColor::Red),
        priority: Set(1),
        created_at: Set(1),
        updated_at: Set(1),
        ..Default::default()
    };
    issue_field_option::Entity::insert(row).exec(on).await?;
    Ok(field)
}

async fn option_and_iteration(on: &Connection, field: i64) -> Result<(), DbErr> {
    let option = project_field_option::ActiveModel {
        field_id: Set(field),
        option_key: Set("f75ad846".to_owned()),
        name: Set("Todo".to_owned()),
        name_key: Set("todo".to_owned()),
        color: Set(project_field_option::ProjectFieldOptionColor::Gray),
        position: Set(0),
        ..Default::default()
    };
    project_field_option::Entity::insert(option)
        .exec(on)
        .await?;
    let iteration = project_field_iteration::ActiveModel {
        field_id: Set(field),
        iteration_key: Set("0a1b2c3d".to_owned()),
        title: Set("Sprint 1".to_owned()),
        start_date: Set("2026-01-05".to_owned()),
        duration: Set(14),
        position: Set(0),
        ..Default::default()
    };
    project_field_iteration::Entity::insert(iteration)
        .exec(on)
        .await?;
    Ok(())
}

/// A draft with an iteration, in the project that `fields` created.
pub async fn items(on: &Connection, user: i64) -> Result<(), DbErr> {
    let iteration = project_field_iteration::Entity::find().one(on).await?;
    let iteration = iteration.ok_or_else(|| DbErr::RecordNotFound("an iteration".to_owned()))?;
    let project = project::Entity::find().one(on).await?;
    let project = project.ok_or_else(|| DbErr::RecordNotFound("a project".to_owned()))?;
    let item = project_item::ActiveModel {
        project_id: Set(project.id),
        draft_title: Set(Some("Measure the grip".to_owned())),
        draft_body: Set(Some("With gloves".to_owned())),
        creator_id: Set(Some(user)),
        created_at: Set(1),
        updated_at: Set(1),
        ..Default::default()
    };
    let item = project_item::Entity::insert(item)
        .exec(on)
        .await?
        .last_insert_id;
    let value = project_item_value::ActiveModel {
        item_id: Set(item),
        field_id: Set(iteration.field_id),
        iteration_id: Set(Some(iteration.id)),
        ..Default::default()
    };
    project_item_value::Entity::insert(value).exec(on).await?;
    Ok(())
}
