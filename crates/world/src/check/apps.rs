//! Apps, their installations, and tokens.

use super::index::Index;
use super::names;
use super::unique::{Unique, distinct, distinct_in_any_case};
use crate::file::{App, Installation, Token, TokenRepositories, World};
use crate::findings::{Finding, Findings, one_of, quoted};
use crate::stored::StoredRows;
use crate::yaml::At;
use forge::access::jwt;
use forge::events::EventName;
use forge::tokens::{OTHER_APP_PERMISSIONS, SCOPES, TOKEN_PERMISSIONS, levels};
use storage::entities::installation::RepositorySelection;

pub fn check(world: &World, stored: &StoredRows, findings: &mut Findings) {
    distinct("app", world.apps.iter().map(|app| &app.slug), findings);
    let clients = world.apps.iter().filter_map(|app| app.client_id.as_ref());
    distinct("client id", clients, findings);
    for app in &world.apps {
        details(app, findings);
        key(app, findings);
        if let Some(client) = &app.client_id
            && stored
                .client(&client.value)
                .is_some_and(|slug| *slug != app.slug.value)
        {
            let message = format!("the client id {} is taken", quoted(&client.value));
            findings.report(client.location, message, "one that no other app has");
        }
    }
    let mut pairs = Unique::new("installation");
    for installation in &world.installations {
        let (app, account) = (&installation.app, &installation.account);
        let pair = (&app.value, account.value.to_lowercase());
        let display = format!("{} on {}", app.value, account.value);
        pairs.claim(pair, &display, app.location, findings);
        selection(installation, findings);
        let paths = installation.single_file_paths.iter();
        let paths = || paths.clone().flat_map(|paths| &paths.value);
        names::require(paths(), "path", names::file_path, findings);
        distinct("path", paths(), findings);
    }
}

/// Warns about apps that subscribe to an event that is never sent.
pub fn warn(world: &World, findings: &mut Findings) {
    let events = world.apps.iter().flat_map(|app| &app.events);
    let sent = EventName::ALL.map(EventName::as_str);
    for event in events.filter(|event| !sent.contains(&event.value.as_str())) {
        let message = format!("the event {} is never sent", quoted(&event.value));
        let nearest = findings.nearest(&event.value, sent);
        findings.push(Finding::at(event.location, message).nearest(nearest));
    }
}

fn details(app: &App, findings: &mut Findings) {
    names::require([&app.slug], "slug", names::slug, findings);
    names::require(&app.client_id, "client id", names::token_value, findings);
    names::require(&app.events, "event", names::event, findings);
    distinct("event", &app.events, findings);
    names::require(&app.external_url, "`external_url`", names::url, findings);
    names::require(&app.name, "name", names::title, findings);
    let permissions: Vec<&str> = [TOKEN_PERMISSIONS, OTHER_APP_PERMISSIONS].concat();
    for (name, level) in &app.permissions {
        permission(
            name,
            level,
            &permissions,
            "a permission of an app",
            findings,
        );
    }
    if let Some(webhook) = &app.webhook {
        names::require([&webhook.url], "`url`", names::webhook_url, findings);
        // A secret is not repeated in a finding.
        let secret = webhook.secret.as_ref();
        if let Some(secret) = secret.filter(|secret| secret.value.is_empty()) {
            findings.report(secret.location, "an empty `secret`", "text, or no `secret`");
        }
    }
}

fn key(app: &App, findings: &mut Findings) {
    names::require(
        &app.generate_key,
        "`generate_key`",
        names::not_blank,
        findings,
    );
    let Some(pem) = &app.public_key else {
        return;
    };
    if let Some(generate) = &app.generate_key {
        let message = "both `public_key` and `generate_key`";
        findings.report(generate.location, message, "at most one of them");
    }
    let text = pem.value.trim();
    if text.contains("PRIVATE KEY-----") {
        let expected = "the public half alone, which `openssl rsa -pubout` writes";
        findings.report(pem.location, "a private key", expected);
    } else if jwt::public_key(text).is_none() {
        findings.push(
            Finding::at(pem.location, "malformed `public_key`")
                .expected("a public RSA key in PEM, which starts with `-----BEGIN PUBLIC KEY-----`")
                .found(quoted(text.lines().next().unwrap_or_default())),
        );
    }
}

fn selection(installation: &Installation, findings: &mut Findings) {
    let names = installation.repositories.as_ref();
    let expected_names = "the names of one repository or more";
    let selection = installation
        .repository_selection
        .unwrap_or(RepositorySelection::All);
    match (selection, names) {
        (RepositorySelection::All, Some(names)) => findings.report(
            names.location,
            "`repositories` with `repository_selection: all`",
            "`repository_selection: selected`, or no `repositories`",
        ),
        (RepositorySelection::Selected, None) => {
            let message = "a selection without `repositories`";
            findings.report(installation.location, message, expected_names);
        }
        (RepositorySelection::Selected, Some(names)) if names.value.is_empty() => {
            findings.report(names.location, "an empty selection", expected_names);
        }
        _ => {}
    }
    let names = names.iter().flat_map(|names| &names.value);
    distinct_in_any_case("repository", names, findings);
}

const SHOWN_OF_A_SECRET: usize = 4;

pub fn check_tokens(world: &World, index: &Index<'_>, findings: &mut Findings) {
    let mut values = Unique::new("token value");
    for token in &world.tokens {
        if let Some(value) = &token.value {
            // A secret is not repeated in a finding.
            if let Some(expected) = names::token_value(&value.value) {
                findings.report(value.location, "malformed token value", expected);
            }
            let display: String = value.value.chars().take(SHOWN_OF_A_SECRET).collect();
            values.claim(
                &value.value,
                &format!("{display}…"),
                value.location,
                findings,
            );
        }
        names::require(&token.client_id, "client id", names::token_value, findings);
        scopes(&token.scopes, findings);
        grants(token, findings);
        if let (Some(app), Some(account)) = (&token.app, &token.account) {
            index.installation(app, account, findings);
        }
        if let (Some(_), Some(at)) = (&token.expires_in, &token.expires_at) {
            let message = "both `expires_in` and `expires_at`";
            findings.report(at.location, message, "at most one of them");
        }
    }
}

fn grants(token: &Token, findings: &mut Findings) {
    let expected = one_of(TOKEN_PERMISSIONS);
    for (name, level) in &token.permissions {
        permission(name, level, TOKEN_PERMISSIONS, &expected, findings);
    }
    if let Some(TokenRepositories::Only(names)) = &token.repositories {
        distinct_in_any_case("repository", names, findings);
    }
}

fn permission(
    name: &At<String>,
    level: &At<String>,
    known: &[&str],
    expected: &str,
    findings: &mut Findings,
) {
    let display = quoted(&name.value);
    if !known.contains(&name.value.as_str()) {
        let nearest = findings.nearest(&name.value, known.iter().copied());
        findings.push(
            Finding::at(name.location, format!("unknown permission {display}"))
                .expected(expected)
                .nearest(nearest),
        );
        return;
    }
    let levels = levels(&name.value);
    if !levels.contains(&level.value.as_str()) {
        let nearest = findings.nearest(&level.value, levels.iter().copied());
        findings.push(
            Finding::at(level.location, format!("wrong level for {display}"))
                .expected(one_of(levels))
                .found(quoted(&level.value))
                .nearest(nearest),
        );
    }
}

fn scopes(scopes: &[At<String>], findings: &mut Findings) {
    distinct("scope", scopes, findings);
    for scope in scopes {
        if !SCOPES.contains(&scope.value.as_str()) {
            let nearest = findings.nearest(&scope.value, SCOPES.iter().copied());
            let message = format!("unknown scope {}", quoted(&scope.value));
            findings.push(
                Finding::at(scope.location, message)
                    .expected("a scope of a classic token such as `repo`")
                    .nearest(nearest),
            );
        }
    }
}
