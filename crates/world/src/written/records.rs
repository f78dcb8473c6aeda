//! The records of a world file. A key that is None or empty is not written.

use std::collections::BTreeMap;

use serde::Serialize;

use super::values::{Absent, GivenFieldValue, GrantedRepositories, Time, Word};
use storage::entities::check_annotation::CheckAnnotationLevel;
use storage::entities::check_run::{CheckRunStatus, Conclusion};
use storage::entities::collaborator::Permission;
use storage::entities::commit_status::CommitStatusState;
use storage::entities::installation::RepositorySelection;
use storage::entities::issue::IssueState;
use storage::entities::issue_field::{FieldVisibility, IssueFieldDataType};
use storage::entities::issue_field_option::IssueFieldOptionColor;
use storage::entities::membership::Role;
use storage::entities::project_field::ProjectFieldDataType;
use storage::entities::project_field_option::ProjectFieldOptionColor;
use storage::entities::pull::PullState;
use storage::entities::repository::Visibility;
use storage::entities::review_comment::{Side, SubjectType};
use storage::entities::token::TokenKind;

macro_rules! records {
    ($(
        $(#[$about:meta])*
        $name:ident { $( $(#[$field_about:meta])* $field:ident: $kind:ty, )* }
    )*) => { $(
        $(#[$about])*
        #[derive(Debug, Clone, Default, PartialEq, Serialize)]
        pub struct $name {
            $(
                $(#[$field_about])*
                #[serde(skip_serializing_if = "Absent::is_absent")]
                pub $field: $kind,
            )*
        }
    )* };
}

records! {
    World {
        users: Vec<User>,
        organizations: Vec<Organization>,
        repositories: Vec<Repository>,
        projects: Vec<Project>,
        apps: Vec<App>,
        installations: Vec<Installation>,
        tokens: Vec<Token>,
    }

    User {
        id: Option<i64>,
        login: String,
        name: Option<String>,
        site_admin: Option<bool>,
        mannequin: Option<bool>,
        created_at: Option<Time>,
    }

    Organization {
        id: Option<i64>,
        login: String,
        name: Option<String>,
        base_permission: Option<Word<Permission>>,
        created_at: Option<Time>,
        members: Vec<Member>,
        issue_fields: Vec<IssueField>,
    }

    Member {
        login: String,
        role: Option<Word<Role>>,
    }

    IssueField {
        id: Option<i64>,
        name: String,
        description: Option<String>,
        data_type: Option<Word<IssueFieldDataType>>,
        visibility: Option<Word<FieldVisibility>>,
        created_at: Option<Time>,
        options: Vec<IssueFieldOption>,
    }

    IssueFieldOption {
        name: String,
        description: Option<String>,
        color: Option<Word<IssueFieldOptionColor>>,
        priority: i64,
    }

    Repository {
        id: Option<i64>,
        full_name: String,
        /// `public`, `private` or `internal`.
        visibility: Option<String>,
        default_branch: Option<String>,
        description: Option<String>,
        homepage: Option<String>,
        language: Option<String>,
        topics: Vec<String>,
        license: Option<String>,
        archived: Option<bool>,
        disabled: Option<bool>,
        fork: Option<bool>,
        is_template: Option<bool>,
        has_issues: Option<bool>,
        has_projects: Option<bool>,
        has_wiki: Option<bool>,
        has_pages: Option<bool>,
        has_downloads: Option<bool>,
        allow_rebase_merge: Option<bool>,
        allow_squash_merge: Option<bool>,
        allow_auto_merge: Option<bool>,
        allow_merge_commit: Option<bool>,
        delete_branch_on_merge: Option<bool>,
        template: Option<String>,
        mirror_url: Option<String>,
        stargazers_count: Option<i64>,
        forks_count: Option<i64>,
        custom_properties: BTreeMap<String, String>,
        created_at: Option<Time>,
        pushed_at: Option<Time>,
        collaborators: Vec<Collaborator>,
        git: Option<Git>,
        labels: Vec<Label>,
        issues: Vec<Issue>,
        pulls: Vec<Pull>,
        statuses: Vec<Status>,
        check_runs: Vec<CheckRun>,
    }

    Collaborator {
        login: String,
        permission: Option<Word<Permission>>,
    }

    /// The folder of a bare repository, relative to the file.
    Git {
        path: String,
    }

    Label {
        name: String,
        color: Option<String>,
        description: Option<String>,
        default: Option<bool>,
    }

    Issue {
        number: i64,
        title: String,
        body: Option<String>,
        author: String,
        state: Option<Word<IssueState>>,
        locked: Option<bool>,
        labels: Vec<String>,
        assignees: Vec<String>,
        field_values: BTreeMap<String, GivenFieldValue>,
        created_at: Option<Time>,
        conversation: Vec<IssueComment>,
    }

    IssueComment {
        id: Option<i64>,
        author: String,
        body: String,
        created_at: Option<Time>,
    }

    Pull {
        id: Option<i64>,
        number: i64,
        title: String,
        body: Option<String>,
        author: String,
        base: String,
        head: String,
        state: Option<Word<PullState>>,
        locked: Option<bool>,
        labels: Vec<String>,
        assignees: Vec<String>,
        field_values: BTreeMap<String, GivenFieldValue>,
        created_at: Option<Time>,
        conversation: Vec<IssueComment>,
        comments: Vec<Comment>,
    }

    /// A review comment. A reply has `in_reply_to`, and nothing of the place.
    Comment {
        id: Option<i64>,
        key: Option<String>,
        author: String,
        /// The key of the first comment of the thread.
        in_reply_to: Option<String>,
        commit_id: Option<String>,
        path: Option<String>,
        start_line: Option<i64>,
        start_side: Option<Word<Side>>,
        line: Option<i64>,
        side: Option<Word<Side>>,
        subject_type: Option<Word<SubjectType>>,
        body: String,
        created_at: Option<Time>,
    }

    Status {
        sha: String,
        creator: String,
        state: Option<Word<CommitStatusState>>,
        context: Option<String>,
        description: Option<String>,
        target_url: Option<String>,
        created_at: Option<Time>,
    }

    CheckRun {
        app: String,
        head_sha: String,
        name: String,
        external_id: Option<String>,
        details_url: Option<String>,
        status: Option<Word<CheckRunStatus>>,
        conclusion: Option<Word<Conclusion>>,
        started_at: Option<Time>,
        completed_at: Option<Time>,
        output: Option<CheckOutput>,
    }

    CheckOutput {
        title: String,
        summary: String,
        text: Option<String>,
        annotations: Vec<Annotation>,
    }

    Annotation {
        path: String,
        start_line: i64,
        end_line: i64,
        start_column: Option<i64>,
        end_column: Option<i64>,
        annotation_level: Option<Word<CheckAnnotationLevel>>,
        title: Option<String>,
        message: String,
        raw_details: Option<String>,
    }

    Project {
        id: Option<i64>,
        owner: String,
        number: i64,
        title: String,
        visibility: Option<Word<Visibility>>,
        created_at: Option<Time>,
        fields: Vec<ProjectField>,
        items: Vec<ProjectItem>,
    }

    /// A field of the project's own, or one that shows an issue field.
    ProjectField {
        id: Option<i64>,
        name: Option<String>,
        data_type: Option<Word<ProjectFieldDataType>>,
        issue_field_id: Option<i64>,
        single_select_options: Vec<ProjectFieldOption>,
        iteration_configuration: Option<IterationConfiguration>,
        created_at: Option<Time>,
    }

    ProjectFieldOption {
        name: String,
        color: Option<Word<ProjectFieldOptionColor>>,
        description: String,
    }

    IterationConfiguration {
        /// `YYYY-MM-DD`.
        start_date: String,
        duration: i64,
        /// Three by default.
        iterations: Option<Vec<Iteration>>,
    }

    Iteration {
        title: String,
        start_date: String,
        duration: i64,
    }

    /// An issue or a pull request, by `repository` and `number`, or a draft with a `title`.
    ProjectItem {
        id: Option<i64>,
        repository: Option<String>,
        number: Option<i64>,
        title: Option<String>,
        body: Option<String>,
        author: Option<String>,
        archived: Option<bool>,
        values: BTreeMap<String, GivenFieldValue>,
        created_at: Option<Time>,
    }

    App {
        id: Option<i64>,
        slug: String,
        name: Option<String>,
        owner: String,
        client_id: Option<String>,
        description: Option<String>,
        external_url: Option<String>,
        public_key: Option<String>,
        generate_key: Option<String>,
        permissions: BTreeMap<String, String>,
        events: Vec<String>,
        webhook: Option<Webhook>,
        created_at: Option<Time>,
    }

    Webhook {
        url: String,
        secret: Option<String>,
    }

    Installation {
        id: Option<i64>,
        app: String,
        account: String,
        repository_selection: Option<Word<RepositorySelection>>,
        repositories: Option<Vec<String>>,
        suspended_by: Option<String>,
        single_file_paths: Option<Vec<String>>,
        created_at: Option<Time>,
    }

    Token {
        id: Option<i64>,
        kind: Option<Word<TokenKind>>,
        user: Option<String>,
        owner: Option<String>,
        app: Option<String>,
        account: Option<String>,
        scopes: Vec<String>,
        client_id: Option<String>,
        repositories: Option<GrantedRepositories>,
        permissions: BTreeMap<String, String>,
        description: Option<String>,
        value: Option<String>,
        expires_in: Option<i64>,
        expires_at: Option<Time>,
        created_at: Option<Time>,
    }
}
