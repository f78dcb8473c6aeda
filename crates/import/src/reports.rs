//! Statuses and check runs of commits, and the apps that report them.

use serde_json::{Value, json};

use crate::ImportError;
use crate::answers::{Annotation, CheckRuns, GivenCheckOutput, GivenCheckRun, Status};
use crate::gathered::Gathered;
use crate::list::{Api, path};
use crate::text::{optional, record, text, time, url};

/// The longest name or context of a report.
const MAX_NAME: usize = 255;

/// Annotations of one check run: what one request may create.
const MAX_ANNOTATIONS: usize = 50;

/// The reports on a commit, as a world has them: statuses and check runs, the oldest first.
pub async fn of_commit(
    api: &Api,
    base: &[&str],
    sha: &str,
    world: &mut Gathered,
) -> Result<(Vec<Value>, Vec<Value>), ImportError> {
    let all = api
        .all::<Vec<Status>>(&path(base, &["commits", sha, "statuses"]), &[])
        .await?;
    let mut statuses = world.allowed("statuses", all);
    statuses.sort_by_key(|status| status.id);
    statuses.dedup_by_key(|status| status.id);
    let statuses = statuses
        .iter()
        .filter_map(|given| status(sha, given, world));
    let statuses = statuses.collect();
    let runs = path(base, &["commits", sha, "check-runs"]);
    let all = api.all::<CheckRuns>(&runs, &[("filter", "all")]).await?;
    let mut runs = world.allowed("check runs", all);
    runs.sort_by_key(|run| run.id);
    runs.dedup_by_key(|run| run.id);
    let mut items = Vec::new();
    for run in &runs {
        let count = run
            .output
            .as_ref()
            .map_or(0, |output| output.annotations_count);
        let mut annotations = Vec::new();
        if count > 0 {
            let id = run.id.to_string();
            let path = path(base, &["check-runs", &id, "annotations"]);
            let all = api.all::<Vec<Annotation>>(&path, &[]).await?;
            annotations = world.allowed("annotations", all);
        }
        items.extend(check_run(sha, run, &annotations, world));
    }
    Ok((statuses, items))
}

fn status(sha: &str, given: &Status, world: &mut Gathered) -> Option<Value> {
    let valid = matches!(&*given.state, "error" | "failure" | "pending" | "success");
    if !valid || given.context.trim().is_empty() || given.context.chars().count() > MAX_NAME {
        world
            .left_out
            .add("a status", "its state or its context is not valid");
        return None;
    }
    let description = optional(&given.description);
    Some(record(json!({
        "sha": sha,
        "creator": world.user(given.creator.as_ref()),
        "state": given.state,
        "context": text(&given.context),
        "description": description.map(|text| text.chars().take(140).collect::<String>()),
        "target_url": url(&given.target_url),
        "created_at": time(&given.created_at),
    })))
}

fn check_run(
    sha: &str,
    run: &GivenCheckRun,
    annotations: &[Annotation],
    world: &mut Gathered,
) -> Option<Value> {
    let Some(slug) = run.app.as_ref().and_then(|app| world.app(app)) else {
        world.left_out.add(
            "a check run",
            "its app is not shown, or its name is not valid",
        );
        return None;
    };
    let conclusion = run
        .conclusion
        .as_deref()
        .map(|conclusion| match conclusion {
            "action_required" | "cancelled" | "failure" | "neutral" | "success" | "skipped"
            | "timed_out" => conclusion,
            // Set by GitHub alone.
            "startup_failure" => "failure",
            _ => "neutral",
        });
    let status = match (run.status.as_str(), conclusion) {
        (_, Some(_)) => "completed",
        ("in_progress", None) => "in_progress",
        _ => "queued",
    };
    let name: String = text(&run.name).chars().take(MAX_NAME).collect();
    if name.trim().is_empty() {
        world.left_out.add("a check run", "it has no name");
        return None;
    }
    let short = |text: &String| text.chars().count() <= MAX_NAME;
    Some(record(json!({
        "app": slug,
        "head_sha": sha,
        "name": name,
        "external_id": optional(&run.external_id).filter(short).filter(|id| !id.is_empty()),
        "details_url": world.apps.foreign_page(&run.details_url),
        "status": status,
        "conclusion": conclusion,
        "started_at": time(&run.started_at),
        "completed_at": time(&run.completed_at).filter(|_| conclusion.is_some()),
        "output": run.output.as_ref().and_then(|given| output(given, annotations, world)),
    })))
}

fn output(
    given: &GivenCheckOutput,
    annotations: &[Annotation],
    world: &mut Gathered,
) -> Option<Value> {
    let cut = |text: &String| text.chars().take(65_535).collect::<String>();
    let title = optional(&given.title)?;
    let title: String = title.chars().take(MAX_NAME).collect();
    let rest = annotations.len().saturating_sub(MAX_ANNOTATIONS);
    world
        .left_out
        .add_many("annotations", "a world file has 50 of each check run", rest);
    Some(record(json!({
        "title": title,
        "summary": optional(&given.summary).as_ref().map(cut).unwrap_or_default(),
        "text": optional(&given.text).as_ref().map(cut),
        "annotations": annotations.iter().take(MAX_ANNOTATIONS).filter_map(annotation).collect::<Vec<_>>(),
    })))
}

fn annotation(given: &Annotation) -> Option<Value> {
    let level = given.annotation_level.as_deref().unwrap_or("notice");
    let valid = matches!(level, "notice" | "warning" | "failure");
    let valid = valid && !given.path.is_empty() && given.path.len() <= 4_096;
    let valid = valid && given.start_line >= 1 && given.end_line >= given.start_line;
    valid.then(|| {
        record(json!({
            "path": text(&given.path),
            "start_line": given.start_line,
            "end_line": given.end_line,
            "start_column": given.start_column,
            "end_column": given.end_column,
            "annotation_level": level,
            "title": optional(&given.title).map(|text| text.chars().take(MAX_NAME).collect::<String>()),
            "message": text(given.message.as_deref().unwrap_or_default()),
            "raw_details": optional(&given.raw_details),
        }))
    })
}
