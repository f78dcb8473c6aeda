//! `forgewright token list`.

use super::app;
use crate::cli::Failure;
use crate::cli::print::say;
use crate::config::DatabaseConfig;
use forge::tokens;

/// How many tokens a query reads.
const BATCH: u64 = 500;

/// Lists at most `most` tokens.
pub async fn list(database: &DatabaseConfig, mut remaining: u64) -> Result<(), Failure> {
    let app = app(database).await?;
    let mut after = 0;
    say!(
        "{:>6}  {:<12}  {:<24}  {:<8}  {:<8}  access",
        "id",
        "kind",
        "holder",
        "suffix",
        "state"
    )?;
    loop {
        let batch = tokens::list(&app, after, BATCH.min(remaining))
            .await
            .map_err(Failure::of)?;
        let Some(last) = batch.last() else { break };
        after = last.id;
        remaining -= batch.len() as u64;
        for token in &batch {
            say!("{}", line(token))?;
        }
    }
    Ok(app.db.close().await?)
}

fn line(token: &tokens::ListedToken) -> String {
    let state = match (token.active, token.revoked_at) {
        (true, _) => "active",
        (false, Some(_)) => "revoked",
        (false, None) => "expired",
    };
    let scopes = token.scopes.iter().cloned();
    let permissions = token
        .permissions
        .iter()
        .map(|(name, level)| format!("{name}={}", level.as_str()));
    let may: Vec<_> = scopes.chain(permissions).collect();
    let kind = format!("{:?}", token.kind);
    format!(
        "{:>6}  {:<12}  {:<24}  {:<8}  {:<8}  {}",
        token.id,
        kind,
        token.holder,
        token.hint,
        state,
        may.join(", ")
    )
}
