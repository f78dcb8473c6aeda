//! Installations and tokens: what they reach exists and is theirs.

use super::Invariant;

pub const INVARIANTS: [Invariant; 6] = [
    Invariant::new(
        "selected-installations-have-repositories",
        "An installation on selected repositories has at least one",
        "SELECT installation.id AS id FROM installation
         WHERE installation.repository_selection = 'selected' AND NOT EXISTS
            (SELECT 1 FROM installation_repository AS chosen
             WHERE chosen.installation_id = installation.id)",
    ),
    Invariant::new(
        "installations-reach-their-account",
        "The repositories of an installation belong to its account",
        "SELECT chosen.installation_id || '/' || chosen.repository_id AS id
         FROM installation_repository AS chosen
         JOIN installation ON installation.id = chosen.installation_id
         JOIN repository ON repository.id = chosen.repository_id
         WHERE repository.owner_id <> installation.account_id",
    ),
    Invariant::new(
        "installations-on-owners",
        "Apps are installed on users and organizations, not on bots",
        "SELECT installation.id AS id FROM installation
         JOIN account ON account.id = installation.account_id WHERE account.kind = 'Bot'",
    ),
    Invariant::new(
        "tokens-have-holders",
        "A token is held by a user, or belongs to an installation",
        "SELECT token.id AS id FROM token
         LEFT JOIN account ON account.id = token.user_id
         LEFT JOIN installation ON installation.id = token.installation_id
         WHERE CASE WHEN token.kind = 'installation' THEN installation.id IS NULL
            ELSE COALESCE(account.kind, '') <> 'User' END",
    ),
    Invariant::new(
        "token-repositories-of-selecting-tokens",
        "Only tokens for selected repositories have any",
        "SELECT DISTINCT token.id AS id FROM token_repository
         JOIN token ON token.id = token_repository.token_id
         WHERE COALESCE(token.repository_selection, '') <> 'selected'",
    ),
    Invariant::new(
        "tokens-reach-their-owner",
        "The repositories of a token belong to the account that it is for",
        "SELECT token_repository.token_id || '/' || token_repository.repository_id AS id
         FROM token_repository
         JOIN token ON token.id = token_repository.token_id
         JOIN repository ON repository.id = token_repository.repository_id
         LEFT JOIN installation ON installation.id = token.installation_id
         WHERE repository.owner_id <> COALESCE(token.owner_id, installation.account_id, 0)",
    ),
];
