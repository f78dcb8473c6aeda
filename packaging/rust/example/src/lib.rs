//! Makes the branches of releases, with octocrab.

use octocrab::Octocrab;
use octocrab::models::repos::Object;
use octocrab::params::repos::Reference;

/// Makes the branch of a release where `main` is, and returns its name.
pub async fn make_release_branch(
    octocrab: &Octocrab,
    (owner, repo): (&str, &str),
    version: &str,
) -> octocrab::Result<String> {
    let git = octocrab.git(owner, repo);
    let main = git.get_ref(&Reference::Branch("main".to_owned())).await?;
    let (Object::Commit { sha, .. } | Object::Tag { sha, .. }) = main.object else {
        unreachable!("a branch is at a commit");
    };
    let branch = format!("release/{version}");
    git.create_ref(&Reference::Branch(branch.clone()), sha)
        .await?;
    Ok(branch)
}
