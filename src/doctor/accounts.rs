//! Accounts, and who belongs to whom.

use super::Invariant;

pub const INVARIANTS: [Invariant; 5] = [
    Invariant::new(
        "members-are-users",
        "Members of organizations are users",
        "SELECT membership.user_id AS id FROM membership
         JOIN account ON account.id = membership.user_id WHERE account.kind <> 'User'",
    ),
    Invariant::new(
        "organizations-have-the-members",
        "Only organizations have members",
        "SELECT DISTINCT membership.organization_id AS id FROM membership
         JOIN account ON account.id = membership.organization_id
         WHERE account.kind <> 'Organization'",
    ),
    Invariant::new(
        "collaborators-are-users",
        "Collaborators of repositories are users",
        "SELECT collaborator.repository_id || '/' || collaborator.user_id AS id FROM collaborator
         JOIN account ON account.id = collaborator.user_id WHERE account.kind <> 'User'",
    ),
    Invariant::new(
        "repositories-have-owners",
        "Repositories and projects belong to users and organizations, not to bots",
        "SELECT 'repository ' || repository.id AS id FROM repository
         JOIN account ON account.id = repository.owner_id WHERE account.kind = 'Bot'
         UNION ALL
         SELECT 'project ' || project.id AS id FROM project
         JOIN account ON account.id = project.owner_id WHERE account.kind = 'Bot'",
    ),
    Invariant::new(
        "bots-have-apps",
        "Every app acts through a bot, and every bot belongs to an app",
        "SELECT account.id AS id FROM account WHERE account.kind = 'Bot'
            AND NOT EXISTS (SELECT 1 FROM app WHERE app.bot_id = account.id)
         UNION ALL
         SELECT app.bot_id AS id FROM app
         JOIN account ON account.id = app.bot_id WHERE account.kind <> 'Bot'",
    ),
];
