//! Issue fields and project fields, their options and their iterations.

use super::Invariant;

pub const INVARIANTS: [Invariant; 8] = [
    Invariant::new(
        "issue-fields-of-organizations",
        "Issue fields belong to organizations",
        "SELECT issue_field.id AS id FROM issue_field
         JOIN account ON account.id = issue_field.organization_id
         WHERE account.kind <> 'Organization'",
    ),
    Invariant::new(
        "select-fields-have-options",
        "Issue fields of the select types have options",
        "SELECT issue_field.id AS id FROM issue_field
         WHERE issue_field.data_type IN ('single_select', 'multi_select') AND NOT EXISTS
            (SELECT 1 FROM issue_field_option WHERE issue_field_option.field_id = issue_field.id)",
    ),
    Invariant::new(
        "options-of-select-fields",
        "Options of issue fields belong to fields of the select types",
        "SELECT issue_field_option.id AS id FROM issue_field_option
         JOIN issue_field ON issue_field.id = issue_field_option.field_id
         WHERE issue_field.data_type NOT IN ('single_select', 'multi_select')",
    ),
    Invariant::new(
        "project-options-of-select-fields",
        "Options of project fields belong to single select fields of the project's own",
        "SELECT project_field_option.id AS id FROM project_field_option
         JOIN project_field ON project_field.id = project_field_option.field_id
         WHERE COALESCE(project_field.data_type, '') <> 'single_select'",
    ),
    Invariant::new(
        "project-option-positions",
        "The options of a project field are numbered from 0 without a gap",
        "SELECT project_field_option.field_id AS id FROM project_field_option
         GROUP BY project_field_option.field_id
         HAVING MIN(position) <> 0 OR MAX(position) <> COUNT(*) - 1",
    ),
    Invariant::new(
        "iterations-of-iteration-fields",
        "Iterations belong to iteration fields",
        "SELECT project_field_iteration.id AS id FROM project_field_iteration
         JOIN project_field ON project_field.id = project_field_iteration.field_id
         WHERE COALESCE(project_field.data_type, '') <> 'iteration'",
    ),
    Invariant::new(
        "iteration-positions",
        "The iterations of a project field are numbered from 0 without a gap",
        "SELECT project_field_iteration.field_id AS id FROM project_field_iteration
         GROUP BY project_field_iteration.field_id
         HAVING MIN(position) <> 0 OR MAX(position) <> COUNT(*) - 1",
    ),
    Invariant::new(
        "project-fields-of-own-issue-fields",
        "A project field stands for an issue field of the organization that owns the project",
        "SELECT project_field.id AS id FROM project_field
         JOIN project ON project.id = project_field.project_id
         JOIN issue_field ON issue_field.id = project_field.issue_field_id
         WHERE issue_field.organization_id <> project.owner_id",
    ),
];
