//! Applies a piece of advice: changes the database, or switches to another token.

use contract::control::journal::{Advice, AdviceAction};
use sea_orm::{ConnectionTrait, EntityTrait, QueryFilter};
use serde_json::{Value, json};
use storage::entities::{installation, token};

use super::super::callers::jwt;
use super::AdvisedCaller;

/// The id of the installation that `install` creates.
const NEW_INSTALLATION: i64 = 7900;

/// The tokens to use when the advice asks for another kind of token. Their users have few
/// rights, so that further advice has to be right as well.
const OTHER_KINDS: [(&str, &str); 5] = [
    ("classic", "classic-stranger"),
    ("oauth", "oauth-stranger"),
    ("fine_grained", "fine-grained-former-member-write"),
    ("app_user", "app-user-stranger-write"),
    ("installation", "installation-read"),
];

/// The tokens that replace an expired or revoked one.
const RENEWED: [(&str, &str); 5] = [
    ("classic", "classic-administrator"),
    ("oauth", "oauth-administrator"),
    ("fine-grained", "fine-grained-administrator-write"),
    ("app-user", "app-user-administrator-write"),
    ("installation", "installation-write"),
];

impl AdvisedCaller<'_> {
    pub async fn apply(&mut self, advice: &Advice) {
        let value = advice.value.as_str();
        match advice.action {
            AdviceAction::SendToken | AdviceAction::ChangeTokenKind => {
                let first = value.split(", ").next().unwrap();
                self.use_token(token_of_kind(&OTHER_KINDS, first));
            }
            AdviceAction::RenewToken => self.renew(),
            AdviceAction::ChangeInstallation => self.use_token("installation-write"),
            AdviceAction::ChangeApp => {
                assert_eq!(value, "write-bot");
                self.use_token("installation-write");
            }
            AdviceAction::ChangeUser => {
                assert_eq!(value, "alice");
                let oauth = self
                    .credential
                    .iter()
                    .any(|token| token.starts_with("oauth"));
                let kind = if oauth { "oauth" } else { "classic" };
                self.use_token(token_of_kind(&RENEWED, kind));
            }
            AdviceAction::ChangeResourceOwner => {
                let (token, owner) = (self.token().await, self.account(value).await);
                self.set_column(
                    "token",
                    token.id,
                    "owner_id",
                    token.owner_id.unwrap(),
                    owner,
                )
                .await;
            }
            AdviceAction::AddScope => self.add_scope(value).await,
            AdviceAction::GrantPermission => self.grant(&advice.target, value).await,
            AdviceAction::SelectRepository => self.select(&advice.target, value).await,
            AdviceAction::InstallApp => self.install(&advice.target).await,
            AdviceAction::Create => {
                assert!(advice.target.starts_with("installation "), "{advice:?}");
                self.install("acme").await;
            }
            AdviceAction::Unsuspend => self.unsuspend(&advice.target).await,
            AdviceAction::AddMember => {
                let organization = self.account(&advice.target).await;
                let key = format!("organization_id = {organization}");
                let values = format!("organization_id, user_id, role|{organization}");
                self.replace_row("membership", &key, &values, value).await;
            }
            AdviceAction::AddCollaborator => {
                let repository = self.repository(&advice.target).await;
                let key = format!("repository_id = {repository}");
                let values = format!("repository_id, user_id, permission|{repository}");
                self.replace_row("collaborator", &key, &values, value).await;
            }
            AdviceAction::Wait | AdviceAction::ChangeRequest => {
                panic!("no caller of the table can follow {advice:?}")
            }
        }
    }

    fn use_token(&mut self, token: &str) {
        self.credential = Some(token.to_owned());
    }

    fn renew(&mut self) {
        let old = self.credential.clone().unwrap_or_default();
        let kind = old.split_once('-').map_or("", |(_, kind)| kind);
        match RENEWED.iter().find(|(name, _)| *name == kind) {
            Some((_, token)) => self.use_token(token),
            None if old.starts_with("ey") => self.credential = Some(jwt(540)),
            None => self.use_token("classic-administrator"),
        }
    }

    async fn add_scope(&mut self, scope: &str) {
        let token = self.token().await;
        let mut scopes: Vec<String> = serde_json::from_str(&token.scopes).unwrap();
        scopes.push(scope.to_owned());
        let scopes = json!(scopes).to_string();
        self.set_column(
            "token",
            token.id,
            "scopes",
            quoted(&token.scopes),
            quoted(&scopes),
        )
        .await;
    }

    /// An installation token has a permission only if its installation has it too.
    async fn grant(&mut self, target: &str, value: &str) {
        let (name, level) = value.split_once(": ").unwrap();
        let with = |permissions: &str| {
            let mut all: Value = serde_json::from_str(permissions).unwrap();
            all[name] = json!(level);
            quoted(&all.to_string())
        };
        let token = self.token().await;
        let installation = match target.strip_prefix("installation ") {
            Some(id) => Some(id.parse().unwrap()),
            None => {
                let old = &token.permissions;
                self.set_column("token", token.id, "permissions", quoted(old), with(old))
                    .await;
                token.installation_id
            }
        };
        if let Some(id) = installation {
            let old = self.installation_by_id(id).await.permissions;
            self.set_column("installation", id, "permissions", quoted(&old), with(&old))
                .await;
        }
    }

    async fn select(&mut self, target: &str, name: &str) {
        let repository = self.repository(name).await;
        if let Some(id) = target.strip_prefix("installation ") {
            return self
                .add_repository("installation_repository", "installation_id", id, repository)
                .await;
        }
        let token = self.token().await;
        if token.repository_selection == Some(token::TokenSelection::Public) {
            let (old, new) = (quoted("public"), quoted("selected"));
            self.set_column("token", token.id, "repository_selection", old, new)
                .await;
        }
        let id = token.id.to_string();
        self.add_repository("token_repository", "token_id", &id, repository)
            .await;
    }

    async fn add_repository(&mut self, table: &str, key: &str, id: &str, repository: i64) {
        self.change(
            format!("INSERT INTO {table} ({key}, repository_id) VALUES ({id}, {repository})"),
            format!("DELETE FROM {table} WHERE {key} = {id} AND repository_id = {repository}"),
        )
        .await;
    }

    async fn install(&mut self, account: &str) {
        let (token, account) = (self.token().await, self.account(account).await);
        let app = token.app_id.unwrap();
        let existing = installation::Entity::find()
            .filter(installation::COLUMN.app_id.eq(app))
            .filter(installation::COLUMN.account_id.eq(account));
        let existing = existing.one(self.service.app.db.reads()).await.unwrap();
        if let Some(existing) = existing {
            self.installation = existing.id;
            return;
        }
        let write = r#"{"checks":"write","contents":"write","issues":"write","pull_requests":"write","statuses":"write","issue_fields":"write","organization_projects":"write","metadata":"read"}"#;
        self.installation = NEW_INSTALLATION;
        self.change(
            format!(
                "INSERT INTO installation (id, app_id, account_id, repository_selection, \
                 permissions, events, single_file_paths, created_at, updated_at) VALUES \
                 ({NEW_INSTALLATION}, {app}, {account}, 'all', '{write}', '[]', '[]', 0, 0)"
            ),
            format!("DELETE FROM installation WHERE id = {NEW_INSTALLATION}"),
        )
        .await;
    }

    async fn unsuspend(&mut self, target: &str) {
        let id: i64 = target
            .strip_prefix("installation ")
            .unwrap()
            .parse()
            .unwrap();
        let old = self.installation_by_id(id).await;
        let (at, by) = (old.suspended_at.unwrap(), old.suspended_by_id.unwrap());
        let set_suspension = |at: &str, by: &str| {
            format!(
                "UPDATE installation SET suspended_at = {at}, suspended_by_id = {by} \
                 WHERE id = {id}"
            )
        };
        let undo = set_suspension(&at.to_string(), &by.to_string());
        self.change(set_suspension("NULL", "NULL"), undo).await;
    }

    /// Inserts a row for the user of the token, in place of an existing one.
    async fn replace_row(&mut self, table: &str, key: &str, values: &str, value: &str) {
        let user = self.token().await.user_id.unwrap();
        let (columns, first) = values.split_once('|').unwrap();
        let column = columns.rsplit(", ").next().unwrap();
        let remove = format!("DELETE FROM {table} WHERE {key} AND user_id = {user}");
        let insert = |value: &str| {
            format!("INSERT INTO {table} ({columns}) VALUES ({first}, {user}, '{value}')")
        };
        let on = self.service.app.db.reads();
        let sql = format!("SELECT {column} FROM {table} WHERE {key} AND user_id = {user}");
        let backend = on.get_database_backend();
        let old = on.query_one_raw(sea_orm::Statement::from_string(backend, sql));
        let old = old
            .await
            .unwrap()
            .map(|row| row.try_get_by_index::<String>(0).unwrap());
        let undo = old.as_deref().map_or("SELECT 1".to_owned(), insert);
        self.change(remove.clone(), undo).await;
        self.change(insert(value), remove).await;
    }

    async fn set_column(
        &mut self,
        table: &str,
        id: i64,
        column: &str,
        old: impl std::fmt::Display,
        new: impl std::fmt::Display,
    ) {
        let update = |value: &dyn std::fmt::Display| {
            format!("UPDATE {table} SET {column} = {value} WHERE id = {id}")
        };
        self.change(update(&new), update(&old)).await;
    }
}

fn token_of_kind(list: &'static [(&str, &str)], name: &str) -> &'static str {
    let found = list.iter().find(|(known, _)| *known == name);
    found.unwrap_or_else(|| panic!("no token of kind {name}")).1
}

fn quoted(text: &str) -> String {
    format!("'{text}'")
}
