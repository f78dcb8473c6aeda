//! Creates release branches with octocrab.

use octocrab::Octocrab;
use octocrab::models::repos::Object;
use octocrab::params::repos::Reference;

/// Creates the branch of a release at the head of `main` and returns its name.
pub async fn create_release_branch(
    octocrab: &Octocrab,
    (owner, repo): (&str, &str),
    version: &str,
) -> octocrab::Result<String> {
    let git = octocrab.git(owner, repo);
    let main = git.get_ref(&Reference::Branch("main".to_owned())).await?;
    let (Object::Commit { sha, .. } | Object::Tag { sha, .. }) = main.object else {
        unreachable!("a branch points to a commit");
    };
    let branch = format!("release/{version}");
    git.create_ref(&Reference::Branch(branch.clone()), sha)
        .await?;
    Ok(branch)
}
