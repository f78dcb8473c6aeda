//! That an id which the file fixes is free, or belongs to the very item.

use std::collections::{BTreeMap, BTreeSet};

use sea_orm::{ColumnTrait, PrimaryKeyToColumn, QuerySelect};
use sea_orm::{ConnectionTrait, DbErr, EntityTrait, FromQueryResult, Iterable, QueryFilter};

use super::bodies;
use super::stored::{Stored, batches};
use crate::entities::{
    account, app, installation, issue_field, project, project_field, pull, repository,
    review_comment, token,
};
use crate::world::file::{Token, World};
use crate::world::findings::{Finding, quoted};
use crate::world::node::At;
use crate::world::scalar::Positive;

/// An item that has an id in the file, and the id that it has in the database.
struct Claim<'a> {
    wanted: &'a At<Positive>,
    stored: Option<i64>,
}

#[derive(FromQueryResult)]
struct Taken {
    id: i64,
}

pub async fn clashes<C: ConnectionTrait>(
    db: &C,
    world: &World,
    stored: &Stored,
) -> Result<Vec<Finding>, DbErr> {
    let mut found = Vec::new();
    let users = world.users.iter().map(|item| (&item.id, &item.login));
    let organizations = world
        .organizations
        .iter()
        .map(|item| (&item.id, &item.login));
    let accounts = users.chain(organizations).filter_map(|(id, login)| {
        claim(id.as_ref(), stored.account(&login.value).map(|row| row.id))
    });
    settle::<account::Entity, _>(db, "account", accounts, &mut found).await?;
    let repositories = world.repositories.iter().filter_map(|item| {
        let row = stored.repository(&item.full_name.value);
        claim(item.id.as_ref(), row.map(|row| row.id))
    });
    settle::<repository::Entity, _>(db, "repository", repositories, &mut found).await?;
    let pulls = world.repositories.iter().flat_map(|repository| {
        let name = &repository.full_name.value;
        repository.pulls.iter().filter_map(move |item| {
            let row = stored.pull(name, item.number.value.0);
            claim(item.id.as_ref(), row.map(|row| row.id))
        })
    });
    settle::<pull::Entity, _>(db, "pull request", pulls, &mut found).await?;
    comments(db, world, stored, &mut found).await?;
    let projects = world.projects.iter().filter_map(|item| {
        let row = stored.project(&item.owner.value, item.number.value.0);
        claim(item.id.as_ref(), row.map(|row| row.id))
    });
    settle::<project::Entity, _>(db, "project", projects, &mut found).await?;
    fields(db, world, stored, &mut found).await?;
    let apps = world.apps.iter().filter_map(|item| {
        let row = stored.app(&item.slug.value);
        claim(item.id.as_ref(), row.map(|row| row.id))
    });
    settle::<app::Entity, _>(db, "app", apps, &mut found).await?;
    client_ids(db, world, &mut found).await?;
    let installations = world.installations.iter().filter_map(|item| {
        let row = stored.installation(&item.app.value, &item.account.value);
        claim(item.id.as_ref(), row.map(|row| row.id))
    });
    settle::<installation::Entity, _>(db, "installation", installations, &mut found).await?;
    let tokens = world.tokens.iter().filter_map(|item| {
        let row = item.value().and_then(|value| stored.token(&value.value));
        claim(Token::id(item), row.map(|row| row.id))
    });
    settle::<token::Entity, _>(db, "token", tokens, &mut found).await?;
    Ok(found)
}

async fn client_ids<C: ConnectionTrait>(
    db: &C,
    world: &World,
    found: &mut Vec<Finding>,
) -> Result<(), DbErr> {
    let said = || {
        let apps = world.apps.iter();
        apps.filter_map(|item| Some((item.client_id.as_ref()?, &item.slug.value)))
    };
    let wanted: BTreeSet<String> = said().map(|(client, _)| client.value.clone()).collect();
    for wanted in batches(&wanted) {
        let rows = app::Entity::find()
            .filter(app::COLUMN.client_id.is_in(wanted))
            .all(db)
            .await?;
        for (client, slug) in said() {
            let taken = rows
                .iter()
                .any(|row| row.client_id == client.value && row.slug != *slug);
            if taken {
                let wrong = format!("the client id {} is taken", quoted(&client.value));
                found.push(Finding::at(client.place, wrong).expected("one that no other app has"));
            }
        }
    }
    Ok(())
}

/// A comment with an id is found again by it, if it is in the same pull request.
async fn comments<C: ConnectionTrait>(
    db: &C,
    world: &World,
    stored: &Stored,
    found: &mut Vec<Finding>,
) -> Result<(), DbErr> {
    let said: Vec<(&At<Positive>, Option<i64>)> = world
        .repositories
        .iter()
        .flat_map(|repository| {
            repository.pulls.iter().flat_map(|pull| {
                let row = stored.pull(&repository.full_name.value, pull.number.value.0);
                let ids = pull.comments.iter().filter_map(|item| item.id.as_ref());
                ids.map(move |id| (id, row.map(|row| row.id)))
            })
        })
        .collect();
    let ids: BTreeSet<i64> = said.iter().map(|(id, _)| id.value.0).collect();
    let mut there: BTreeMap<i64, i64> = BTreeMap::new();
    for ids in batches(&ids) {
        let rows: Vec<(i64, i64)> = review_comment::Entity::find()
            .select_only()
            .columns([review_comment::Column::Id, review_comment::Column::PullId])
            .filter(review_comment::COLUMN.id.is_in(ids))
            .into_tuple()
            .all(db)
            .await?;
        there.extend(rows);
    }
    let claims = said.into_iter().filter_map(|(id, pull)| {
        let own = there.get(&id.value.0).is_some_and(|at| Some(*at) == pull);
        claim(Some(id), own.then_some(id.value.0))
    });
    settle::<review_comment::Entity, _>(db, "comment", claims, found).await
}

/// A field that could not be read is reported already, and claims nothing.
async fn fields<C: ConnectionTrait>(
    db: &C,
    world: &World,
    stored: &Stored,
    found: &mut Vec<Finding>,
) -> Result<(), DbErr> {
    let issue_fields = world.organizations.iter().flat_map(|organization| {
        organization.issue_fields.iter().filter_map(|item| {
            let (id, name) = (item.id.as_ref()?, item.body.text("name")?);
            let login = &organization.login.value;
            let row = stored.issue_field(login, Some(id.value.0), name.value);
            claim(Some(id), row.map(|row| row.id))
        })
    });
    settle::<issue_field::Entity, _>(db, "issue field", issue_fields, found).await?;
    let project_fields = world.projects.iter().flat_map(|project| {
        let row = stored.project(&project.owner.value, project.number.value.0);
        project.fields.iter().filter_map(move |item| {
            let id = item.id.as_ref()?;
            // The longer form: it can read what the shorter one can.
            let draft = bodies::organization_project_field(&item.body.value).ok()?;
            let field = row.and_then(|row| stored.project_field(row.id, Some(id.value.0), &draft));
            claim(Some(id), field.map(|field| field.id))
        })
    });
    settle::<project_field::Entity, _>(db, "project field", project_fields, found).await
}

fn claim(wanted: Option<&At<Positive>>, stored: Option<i64>) -> Option<Claim<'_>> {
    wanted.map(|wanted| Claim { wanted, stored })
}

async fn settle<'a, E: EntityTrait, C: ConnectionTrait>(
    db: &C,
    what: &str,
    claims: impl Iterator<Item = Claim<'a>>,
    found: &mut Vec<Finding>,
) -> Result<(), DbErr> {
    let mut open: BTreeMap<i64, &Claim<'_>> = BTreeMap::new();
    let claims: Vec<Claim<'_>> = claims.collect();
    for claim in &claims {
        let wanted = claim.wanted.value.0;
        match claim.stored {
            Some(stored) if stored != wanted => found.push(
                Finding::at(claim.wanted.place, format!("another id for this {what}"))
                    .expected(format!(
                        "`{stored}`, which it has in the database, or no `id`"
                    ))
                    .found(format!("`{wanted}`")),
            ),
            Some(_) => {}
            None => {
                open.insert(wanted, claim);
            }
        }
    }
    let ids: BTreeSet<i64> = open.keys().copied().collect();
    for ids in batches(&ids) {
        let Some(key) = E::PrimaryKey::iter().next() else {
            continue;
        };
        let column = key.into_column();
        let taken: Vec<Taken> = E::find()
            .select_only()
            .column_as(column, "id")
            .filter(column.is_in(ids))
            .into_model()
            .all(db)
            .await?;
        for id in taken.iter().filter_map(|taken| open.get(&taken.id)) {
            let wrong = format!("the {what} id `{}` is taken", id.wanted.value.0);
            found.push(
                Finding::at(id.wanted.place, wrong)
                    .expected("an id that nothing else in the database has"),
            );
        }
    }
    Ok(())
}
