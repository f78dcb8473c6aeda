//! The items of projects: that each is named, and none is named twice. Values are checked when
//! they are loaded, because their field may be in the database.

use super::names;
use super::unique::{Unique, distinct_in_any_case};
use crate::file::{Project, ProjectItem};
use crate::findings::{Finding, Findings};
use crate::yaml::Location;

pub fn check(project: &Project, findings: &mut Findings) {
    let mut items = Unique::new("item");
    for item in &project.items {
        names::require(&item.title, "title", names::title, findings);
        let fields = item.values.iter().map(|(name, _)| name);
        distinct_in_any_case("field", fields, findings);
        match (&item.repository, &item.number, &item.title) {
            (Some(repository), Some(number), None) => {
                let key = (repository.value.to_lowercase(), number.value.0);
                let display = format!("{}#{}", repository.value, number.value.0);
                items.claim(key, &display, number.location, findings);
                if let Some(body) = &item.body {
                    report(body.location, findings);
                }
            }
            (None, None, Some(title)) => {
                let key = (title.value.clone(), 0);
                items.claim(key, &title.value, title.location, findings);
            }
            _ => report(location(item, project), findings),
        }
    }
}

fn report(location: Location, findings: &mut Findings) {
    let expected = "`repository` and `number`, or the `title` of a draft";
    findings.push(
        Finding::at(location, "an item is an issue, a pull request or a draft").expected(expected),
    );
}

/// The location of an item: that of its first key.
fn location(item: &ProjectItem, project: &Project) -> Location {
    let repository = item.repository.as_ref().map(|value| value.location);
    let number = item.number.as_ref().map(|value| value.location);
    let title = item.title.as_ref().map(|value| value.location);
    let id = item.id.as_ref().map(|value| value.location);
    let first = title.or(repository).or(number).or(id);
    first.unwrap_or(project.number.location)
}
