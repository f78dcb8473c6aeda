//! Apps and their installations.

use super::index::Index;
use super::public_key::is_public_rsa_key;
use super::unique::Unique;
use super::{names, vocabulary};
use crate::notify::EVENT;
use crate::world::file::{App, Installation, RepositorySelection, World};
use crate::world::findings::{Finding, Findings, quoted};
use crate::world::node::At;

pub fn check(world: &World, index: &Index<'_>, findings: &mut Findings) {
    let mut slugs = Unique::new("app");
    let mut clients = Unique::new("client id");
    for app in &world.apps {
        names::require(&app.slug, "slug", names::slug, findings);
        slugs.claim(&app.slug.value, &app.slug.value, app.slug.place, findings);
        if let Some(client) = &app.client_id {
            names::require(client, "client id", names::token_value, findings);
            clients.claim(&client.value, &client.value, client.place, findings);
        }
        index.account(&app.owner, findings);
        details(app, findings);
        key(app, findings);
    }
    let mut taken = Unique::new("installation");
    for installation in &world.installations {
        let (app, account) = (&installation.app, &installation.account);
        let pair = (&app.value, account.value.to_lowercase());
        let shown = format!("{} on {}", app.value, account.value);
        taken.claim(pair, &shown, app.place, findings);
        index.app(app, findings);
        index.account(account, findings);
        repositories(installation, index, findings);
        single_files(installation, findings);
        if let Some(user) = &installation.suspended_by {
            index.user(user, findings);
        }
    }
}

/// An app that waits for an event which is never sent waits for ever.
pub fn warn(world: &World, findings: &mut Findings) {
    for app in &world.apps {
        for event in app.events.iter().filter(|event| event.value != EVENT) {
            let wrong = format!("the event {} is never sent", quoted(&event.value));
            let nearest = findings.nearest(&event.value, [EVENT]);
            findings.push(Finding::at(event.place, wrong).nearest(nearest));
        }
    }
}

fn details(app: &App, findings: &mut Findings) {
    for (name, level) in &app.permissions {
        vocabulary::app_permission(name, level, findings);
    }
    let mut taken = Unique::new("event");
    for event in &app.events {
        names::require(event, "event", names::event, findings);
        taken.claim(&event.value, &event.value, event.place, findings);
    }
    if let Some(url) = &app.external_url {
        names::require(url, "`external_url`", names::url, findings);
    }
    if let Some(name) = &app.name {
        names::require(name, "name", names::title, findings);
    }
    if let Some(webhook) = &app.webhook {
        names::require(&webhook.url, "`url`", names::webhook_url, findings);
        // A secret is not repeated in a finding.
        if let Some(secret) = webhook
            .secret
            .as_ref()
            .filter(|secret| secret.value.is_empty())
        {
            findings.push(
                Finding::at(secret.place, "an empty `secret`").expected("text, or no `secret`"),
            );
        }
    }
}

fn key(app: &App, findings: &mut Findings) {
    if let Some(path) = &app.generate_key {
        names::require(path, "`generate_key`", names::not_blank, findings);
    }
    let Some(pem) = &app.public_key else {
        return;
    };
    if let Some(generate) = &app.generate_key {
        findings.push(
            Finding::at(generate.place, "both `public_key` and `generate_key`")
                .expected("at most one of them"),
        );
    }
    let text = pem.value.trim();
    if text.contains("PRIVATE KEY-----") {
        findings.push(
            Finding::at(pem.place, "a private key")
                .expected("the public half alone, which `openssl rsa -pubout` writes"),
        );
    } else if !is_public_rsa_key(text) {
        findings.push(
            Finding::at(pem.place, "malformed `public_key`")
                .expected("a public RSA key in PEM, which starts with `-----BEGIN PUBLIC KEY-----`")
                .found(first_line(pem)),
        );
    }
}

fn first_line(pem: &At<String>) -> String {
    let line = pem.value.trim().lines().next().unwrap_or_default();
    quoted(line)
}

fn single_files(installation: &Installation, findings: &mut Findings) {
    let mut taken = Unique::new("path");
    for path in installation
        .single_file_paths
        .iter()
        .flat_map(|it| &it.value)
    {
        names::require(path, "path", names::file_path, findings);
        taken.claim(&path.value, &path.value, path.place, findings);
    }
}

fn repositories(installation: &Installation, index: &Index<'_>, findings: &mut Findings) {
    let names = installation.repositories.as_ref();
    match (installation.repository_selection.unwrap_or_default(), names) {
        (RepositorySelection::All, Some(names)) => findings.push(
            Finding::at(
                names.place,
                "`repositories` with `repository_selection: all`",
            )
            .expected("`repository_selection: selected`, or no `repositories`"),
        ),
        (RepositorySelection::Selected, None) => findings.push(
            Finding::at(installation.place, "a selection without `repositories`")
                .expected("the names of one repository or more"),
        ),
        (RepositorySelection::Selected, Some(names)) if names.value.is_empty() => findings.push(
            Finding::at(names.place, "an empty selection")
                .expected("the names of one repository or more"),
        ),
        _ => {}
    }
    let mut taken = Unique::new("repository");
    for name in names.iter().flat_map(|names| &names.value) {
        index.repository_of(&installation.account.value, name, findings);
        taken.claim(name.value.to_lowercase(), &name.value, name.place, findings);
    }
}
