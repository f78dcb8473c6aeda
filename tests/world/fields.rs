//! Issue fields and project fields follow the rules of the API, and a second load finds them.

use sea_orm::{ActiveModelTrait, EntityTrait, Set};
use storage::entities::{issue_field, issue_field_option, project_field};

use super::Setup;
use crate::support::database::with_database;
use crate::support::tables::dump;

const HEAD: &str = "users: [{login: u}]\norganizations:\n  - login: o\n    issue_fields:\n";

#[tokio::test]
async fn options_are_matched_by_name_and_omitted_ones_are_deleted() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        let world = |options: &str| {
            format!("{HEAD}      - {{name: P, data_type: single_select, options: [{options}]}}\n")
        };
        setup
            .load(&world(
                "{name: A, color: red, priority: 1}, {name: B, color: red, priority: 2}",
            ))
            .await;
        let before = issue_field_option::Entity::find()
            .all(setup.db.reads())
            .await
            .unwrap();
        setup.clock.advance(9);
        let loaded = setup
            .load(&world(
                "{name: b, color: blue, priority: 1}, {name: C, color: red, priority: 2}",
            ))
            .await;
        assert_eq!((loaded.added, loaded.changed), (0, 1));
        let after = issue_field_option::Entity::find()
            .all(setup.db.reads())
            .await
            .unwrap();
        let names: Vec<&str> = after.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["b", "C"]);
        assert_eq!(after[0].id, before[1].id);
        let field = issue_field::Entity::find()
            .one(setup.db.reads())
            .await
            .unwrap()
            .unwrap();
        assert_eq!(field.updated_at, field.created_at + 9);
        setup.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_renamed_field_is_found_by_its_id() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        let text = format!("{HEAD}      - {{id: 5, name: P, data_type: text}}\n");
        setup.load(&text).await;
        let transaction = setup.db.begin().await.unwrap();
        let renamed = issue_field::ActiveModel {
            id: Set(5),
            name: Set("Q".to_owned()),
            name_key: Set("q".to_owned()),
            ..Default::default()
        };
        renamed.update(&*transaction).await.unwrap();
        transaction.commit().await.unwrap();
        assert_eq!(setup.load(&text).await.changed, 1);
        let rows = issue_field::Entity::find()
            .all(setup.db.reads())
            .await
            .unwrap();
        assert_eq!((rows.len(), rows[0].name.as_str()), (1, "P"));
        setup.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn validation_errors_of_the_api_are_reported_with_their_position() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        let field = |keys: &str| format!("{HEAD}      - {{{keys}}}\n");
        setup.load(&field("id: 5, name: P, data_type: text")).await;
        let before = dump(&setup.db).await;
        for (keys, expected) in [
            ("name: S, data_type: single_select", "world.yaml:5:9: options: Options can't be blank for a select field"),
            ("name: S, data_type: text, options: []", "world.yaml:5:36: options: Options are allowed only for single_select and multi_select"),
            ("name: p, data_type: number", "world.yaml:5:9: the data type of `P` cannot change; expected its stored data type"),
            ("id: 6, name: P, data_type: text", "world.yaml:5:14: the issue field has another id in the database; expected `5` or no `id`, found `6`"),
        ] {
            assert_eq!(setup.load_error(&field(keys)).await, expected);
        }
        let many: String = (0..26).map(|n| format!("      - {{name: N{n}, data_type: text}}\n")).collect();
        let error = setup.load_error(&format!("{HEAD}{many}")).await;
        assert!(error.contains("at most 25 issue fields"), "{error}");
        assert_eq!(dump(&setup.db).await, before);
        setup.db.close().await.unwrap();
    })
    .await;
}

fn projects(fields: &str) -> String {
    format!(
        "{HEAD}      - {{id: 5, name: P, data_type: text}}\nprojects:\n  - {{owner: o, number: 1, title: T, fields: [{fields}]}}\n"
    )
}

#[tokio::test]
async fn a_changed_project_field_is_created_again_with_its_id() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        let sprint = |duration: u8| projects(&format!("{{issue_field_id: 5}}, {{name: S, data_type: iteration, iteration_configuration: {{start_date: \"2026-03-02\", duration: {duration}}}}}"));
        setup.load(&sprint(7)).await;
        let before = project_field::Entity::find().all(setup.db.reads()).await.unwrap();
        setup.clock.advance(9);
        assert_eq!(setup.load(&sprint(7)).await.changed, 0);
        assert_eq!(setup.load(&sprint(14)).await.changed, 1);
        let after = project_field::Entity::find().all(setup.db.reads()).await.unwrap();
        assert_eq!(after.len(), 2);
        assert_eq!(after[0], before[0]);
        assert_eq!(after[1].id, before[1].id);
        assert_eq!(after[1].iteration_duration, Some(14));
        assert_eq!(after[1].updated_at, before[1].created_at + 9);
        let added = setup.load(&projects("{name: New, data_type: date}")).await;
        assert_eq!((added.added, added.changed), (1, 0));
        setup.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn project_fields_of_users_cannot_come_from_issue_fields() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        let before = dump(&setup.db).await;
        let user = projects("{issue_field_id: 5}").replace("owner: o,", "owner: u,");
        let error = setup.load_error(&user).await;
        assert!(error.starts_with("world.yaml:7:"), "{error}");
        let unknown = setup.load_error(&projects("{issue_field_id: 6}")).await;
        assert!(
            unknown.ends_with("issue_field_id: Issue field does not exist in the organization"),
            "{unknown}"
        );
        assert_eq!(dump(&setup.db).await, before);
        setup.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn every_mistake_of_a_stage_is_reported_at_once() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        let text = "users: [{login: u}]\n\
                    organizations:\n  - login: o\n    issue_fields:\n      - {name: P, data_type: text}\n\
                    repositories:\n  - full_name: o/r\n    issues:\n\
                    \x20     - {number: 1, title: t, author: u, field_values: {Q: x, P: 1}}\n\
                    \x20     - {number: 2, title: t, author: u, field_values: {P: x}}\n\
                    \x20     - {number: 3, title: t, author: u, field_values: {R: x}}\n";
        let before = dump(&setup.db).await;
        let error = setup.load_error(text).await;
        let lines: Vec<&str> = error.lines().collect();
        assert_eq!(lines.len(), 3, "{error}");
        for (line, words) in lines.iter().zip(["9:57: no issue field `Q`", "9:66: Value of P", "11:57: no issue field `R`"]) {
            assert!(line.contains(words), "{words} in {error}");
        }
        assert_eq!(dump(&setup.db).await, before);
        setup.db.close().await.unwrap();
    })
    .await;
}
