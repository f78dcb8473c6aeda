//! Organizations with their members and issue fields, and the installations on accounts.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::ImportError;
use crate::answers::{
    GivenAccount, GivenApp, GivenInstallation, GivenInstallationRepositories, GivenInstallations,
    GivenIssueField, Members,
};
use crate::apps::permissions;
use crate::gathered::Gathered;
use crate::list::Api;
use crate::text::{id, optional, record, text, time};

/// An organization, and its issue fields by id.
pub async fn item(
    api: &Api,
    login: &str,
    world: &mut Gathered,
) -> Result<(Value, BTreeMap<i64, String>), ImportError> {
    let details = match api.one::<GivenAccount>(&["orgs", login]).await? {
        Ok(details) => Some(details),
        Err(refusal) => {
            world
                .left_out
                .refused("details of an organization", &refusal);
            None
        }
    };
    let base_permission = details
        .as_ref()
        .and_then(|details| details.default_repository_permission.clone());
    let base_permission =
        base_permission.filter(|name| matches!(&**name, "none" | "read" | "write" | "admin"));
    let mut members = Vec::new();
    for role in ["admin", "member"] {
        let all = api
            .all::<Members>(&["orgs", login, "members"], &[("role", role)])
            .await?;
        for member in world.allowed("members of an organization", all) {
            members.push(json!({"login": world.user(Some(&member)), "role": role}));
        }
    }
    members.dedup_by(|one, other| one["login"] == other["login"]);
    let all = api
        .all::<Vec<GivenIssueField>>(&["orgs", login, "issue-fields"], &[])
        .await?;
    let mut fields = BTreeMap::new();
    let mut items = Vec::new();
    for field in world.allowed("issue fields", all) {
        if field.name.trim().is_empty() || fields.values().any(|name| *name == field.name) {
            world
                .left_out
                .add("an issue field", "its name is not valid");
            continue;
        }
        items.push(issue_field(&field, world));
        fields.insert(field.id, field.name);
    }
    let item = record(json!({
        "id": world.account_id(login, details.as_ref()),
        "login": login,
        "name": details.as_ref().and_then(|details| optional(&details.name)).filter(|name| !name.trim().is_empty()),
        "base_permission": base_permission,
        "created_at": details.as_ref().and_then(|details| time(&details.created_at)),
        "members": members,
        "issue_fields": items,
    }));
    Ok((item, fields))
}

fn issue_field(field: &GivenIssueField, world: &mut Gathered) -> Value {
    let options = field.options.iter().flatten().enumerate();
    let options = options.map(|(index, option)| {
        record(json!({
            "name": text(&option.name),
            "description": optional(&option.description),
            "color": option.color.as_deref().unwrap_or("gray"),
            "priority": option.priority.unwrap_or(index as i64 + 1),
        }))
    });
    record(json!({
        "id": world.id("issue_field", field.id),
        "name": text(&field.name),
        "description": optional(&field.description),
        "data_type": field.data_type,
        "visibility": field.visibility,
        "options": options.collect::<Vec<_>>(),
        "created_at": time(&field.created_at),
    }))
}

/// The installations on the owners of the repositories that the token may see.
pub async fn installations(
    api: &Api,
    owners: &[String],
    repositories: &[String],
    world: &mut Gathered,
) -> Result<Vec<Value>, ImportError> {
    let all = api
        .all::<GivenInstallations>(&["user", "installations"], &[])
        .await?;
    let mut items = Vec::new();
    for installation in world.allowed("installations", all) {
        let account = installation
            .account
            .as_ref()
            .map(|account| account.login.clone());
        let of_owner =
            |login: &&String| owners.iter().any(|owner| owner.eq_ignore_ascii_case(login));
        let Some(account) = account.as_ref().filter(of_owner) else {
            continue;
        };
        let slug = world.app(&app(&installation));
        let Some(slug) = slug else {
            world
                .left_out
                .add("an installation", "the name of its app is not valid");
            continue;
        };
        let mut selected = None;
        if installation.repository_selection == "selected" {
            let id = installation.id.to_string();
            let path = ["user", "installations", &id, "repositories"];
            let all = api.all::<GivenInstallationRepositories>(&path, &[]).await?;
            let all = world.allowed("repositories of an installation", all);
            let known = all
                .into_iter()
                .filter(|link| repositories.contains(&link.full_name));
            selected = Some(known.map(|link| link.name).collect::<Vec<_>>());
        }
        if installation.suspended_at.is_some() {
            world.left_out.add(
                "the suspension of an installation",
                "the server does not tell who suspended it",
            );
        }
        let mut item = record(json!({
            "id": world.id("installation", installation.id),
            "app": slug,
            "account": account,
            "repository_selection": if selected.is_some() { "selected" } else { "all" },
            "single_file_paths": installation.single_file_paths,
            "created_at": time(&installation.created_at),
        }));
        if let Some(selected) = selected {
            item["repositories"] = selected.into();
        }
        items.push(item);
    }
    Ok(items)
}

/// What an installation tells about its app.
fn app(installation: &GivenInstallation) -> GivenApp {
    GivenApp {
        id: installation.app_id,
        slug: Some(installation.app_slug.clone()),
        name: None,
        client_id: None,
        owner: installation.account.clone(),
        description: None,
        external_url: None,
        permissions: Some(json!(permissions(installation.permissions.as_ref()))),
        events: installation.events.clone(),
        created_at: None,
    }
}

impl Gathered {
    /// The id of an organization, if no other account has it.
    fn account_id(&self, login: &str, details: Option<&GivenAccount>) -> Option<i64> {
        let same = details.filter(|details| details.login.eq_ignore_ascii_case(login));
        same.and_then(|details| id(details.id))
            .filter(|id| !self.accounts.is_user_id(*id))
    }
}
