//! Explains why a reference is not found or not accepted, with what was probably meant. The
//! responses have GitHub's words, which seldom say it.

use super::{pull_heads, rows};
use crate::explain::{is_recording, mistake, note};
use crate::nearest::did_you_mean;
use contract::control::journal::Check;
use contract::reply::Outcome;
use git::Sha;
use git::refs::{LONGEST, NameRange, RefName};
use storage::database::Connection;

/// How many references an unknown name is compared with.
const MOST_NAMES: u64 = 200;

/// Explains a path that names no reference. `full` is the name with `refs/`.
pub async fn note_absent(connection: &Connection, repository: i64, full: &str) -> Outcome<()> {
    if !is_recording() {
        return Ok(());
    }
    let given = full.strip_prefix("refs/").unwrap_or(full);
    let bare = given.trim_end_matches('/');
    let bare = bare.strip_prefix("refs/").unwrap_or(bare);
    let names = ["", "heads/", "tags/"].map(|folder| format!("refs/{folder}{bare}"));
    let each = names.each_ref().map(String::as_str);
    let found = rows::find_many(connection, repository, &each).await?;
    let meant = names.iter().find(|name| found.contains_key(*name));
    let meant = meant.and_then(|name| name.strip_prefix("refs/"));
    let all = NameRange::all();
    let some = rows::list(
        connection,
        repository,
        &all.from,
        &all.until,
        Some(MOST_NAMES),
    );
    let some = some.await?;
    let some = some
        .iter()
        .filter_map(|(name, _, _)| name.strip_prefix("refs/"));
    let nearest = did_you_mean(bare, some);
    let rule = "The path has the name after `refs/`, such as `heads/main` or `tags/v1`";
    note(|| {
        let advice = match meant {
            Some(meant) => format!("{rule}: use `{meant}`."),
            None if given.starts_with("refs/") || !given.contains('/') => format!("{rule}."),
            None => format!("Correct the name, or create `refs/{bare}`{nearest}"),
        };
        let subject = format!("reference `{given}`");
        mistake(Check::Existence, subject, "does not exist", advice)
    });
    Ok(())
}

/// Explains a new name that conflicts with an existing one, as a file does with a folder.
pub async fn note_blocked(connection: &Connection, repository: i64, name: &RefName) -> Outcome<()> {
    if !is_recording() {
        return Ok(());
    }
    let above = name.above();
    let above_names: Vec<&str> = above.iter().map(String::as_str).collect();
    let found = rows::find_many(connection, repository, &above_names).await?;
    let existing = match above.into_iter().find(|name| found.contains_key(name)) {
        Some(above) => Some(above),
        None => {
            let below = name.below();
            let first = rows::list(connection, repository, &below.from, &below.until, Some(1));
            first.await?.into_iter().next().map(|(name, _, _)| name)
        }
    };
    note(|| {
        let existing = existing.unwrap_or_else(|| "another reference".to_owned());
        let sentence = format!(
            "cannot exist beside {existing}: Git stores references like files, and none can be \
             a folder of others as well"
        );
        let advice = format!("Choose another name, or delete {existing} first.");
        mistake(Check::Operation, name.to_string(), sentence, advice)
    });
    Ok(())
}

/// Explains a name that a new reference cannot have.
pub fn note_name(name: &str) {
    note(|| {
        let (sentence, advice) = name_mistake(name);
        mistake(Check::Operation, "ref", sentence, advice)
    });
}

fn name_mistake(name: &str) -> (&'static str, String) {
    let rest = name.strip_prefix("refs/");
    match rest {
        _ if name.len() > LONGEST => (
            "the name is too long",
            format!("Use a name of at most {LONGEST} bytes."),
        ),
        None if ["heads/", "tags/"]
            .iter()
            .any(|folder| name.starts_with(folder)) =>
        {
            (
                "the name must begin with refs/",
                format!("Send `refs/{name}`."),
            )
        }
        None => (
            "the name must begin with refs/heads/ for a branch, or with refs/tags/ for a tag",
            format!("Send `refs/heads/{name}`."),
        ),
        Some(rest) if !rest.contains('/') => (
            "the name needs a folder, such as refs/heads/ for a branch",
            format!("Send `refs/heads/{rest}`."),
        ),
        _ if pull_heads::is_reserved(name) => (
            "references of pull requests are read-only",
            "Push to the head branch of the pull request.".to_owned(),
        ),
        Some(rest) if is_branch_named_like_a_commit(rest) => (
            "a branch cannot have a name that looks like a commit",
            "Choose a name that is not 40 hexadecimal digits.".to_owned(),
        ),
        Some(_) => (
            "Git does not allow the name",
            "Leave out spaces, `..`, `~ ^ : ? * [ \\`, and parts that are empty, begin with `.`, \
             or end with `.lock`."
                .to_owned(),
        ),
    }
}

fn is_branch_named_like_a_commit(rest: &str) -> bool {
    let branch = rest.strip_prefix("heads/");
    branch.is_some_and(|branch| branch.parse::<Sha>().is_ok())
}

/// Explains a SHA-1 that no object of the repository has.
pub fn note_no_object(sha: &str) {
    note(|| {
        let sentence = match sha.parse::<Sha>() {
            Ok(_) => "the repository has no such object".to_owned(),
            Err(_) => "the SHA-1 must be written in full, with 40 hexadecimal digits".to_owned(),
        };
        let advice = "Push the commit, or create it with POST /repos/{owner}/{repo}/git/commits.";
        mistake(Check::Operation, "sha", sentence, advice)
    });
}

/// Explains a move that would lose commits.
pub fn note_not_forward(name: &str) {
    note(|| {
        let sentence = format!("the new commit does not contain what {name} has now");
        let advice = "Merge the current commit first, or send `\"force\": true`.";
        mistake(Check::Operation, "sha", sentence, advice)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_name_is_explained_by_what_was_meant() {
        for (name, words) in [
            ("main", "refs/heads/main"),
            ("heads/main", "`refs/heads/main`"),
            ("refs/main", "`refs/heads/main`"),
            ("refs/pull/1/head", "head branch"),
            ("refs/heads/0123456789abcdef0123456789abcdef01234567", "40"),
            ("refs/heads/a b", "spaces"),
            (&*format!("refs/heads/{}", "a".repeat(1100)), "1024 bytes"),
        ] {
            let (sentence, advice) = name_mistake(name);
            assert!(advice.contains(words), "{name}: {sentence}; {advice}");
        }
    }
}
