//! An import from its beginning to its end. It reads everything first, and then writes the
//! world from what is on the disk; so memory holds one issue at a time, and an import that was
//! interrupted asks for nothing that it has.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use url::Url;

use crate::ImportError;
use crate::address::RepositoryName;
use crate::answers::{Collaborator, GivenIssue, GivenRepository};
use crate::gathered::{Gathered, ImportLimits};
use crate::left_out::LeftOut;
use crate::list::{Api, path};
use crate::mirror::Git;
use crate::progress::Progress;
use crate::pulls::{self, Bundle};
use crate::reports;
use crate::text::{optional, record, text, time, url};
use crate::{issues, organizations, projects};

/// The folder of the mirrors in a world.
const GIT: &str = "git";

/// Writes the items of a world, one after the other.
pub trait WorldWriter {
    /// Begins a list: a section of the world, or a key of the last item.
    fn open(&mut self, key: &'static str);

    /// Writes an item of the list that was begun last.
    fn item(&mut self, item: &Value) -> Result<(), String>;

    fn close(&mut self);
}

/// A repository whose data is on the disk.
struct Read {
    repository: GivenRepository,
    /// The commits that issues and comments refer to and that the mirror has.
    commits: BTreeSet<String>,
    mirror: String,
}

/// An import in progress.
pub struct Import<'a> {
    pub api: &'a Api,
    /// The folder of the world.
    pub folder: &'a Path,
    pub generation: u64,
    pub limits: ImportLimits,
    pub progress: &'a dyn Progress,
}

impl Import<'_> {
    /// Reads the repositories, and writes a world. Returns what it left out.
    pub async fn run(
        &self,
        names: &[RepositoryName],
        projects: &[(String, i64)],
        out: &mut dyn WorldWriter,
    ) -> Result<LeftOut, ImportError> {
        let mut repositories = Vec::new();
        for name in names {
            repositories.push(self.read(name).await?);
        }
        self.progress.step("writing the world");
        let mut world = Gathered::default();
        world.apps.pages = format!("{}/apps/", self.api.client.root());
        let owners = self.owners(&repositories, &mut world);
        let mut organizations = Vec::new();
        let mut fields = BTreeMap::new();
        for login in &owners {
            if !world.accounts.is_organization(login) {
                continue;
            }
            let (item, own) = organizations::item(self.api, login, &mut world).await?;
            organizations.push(item);
            fields.insert(login.clone(), own);
        }
        out.open("repositories");
        for read in &repositories {
            let none = BTreeMap::new();
            let fields = fields.get(&read.repository.owner.login).unwrap_or(&none);
            self.write_repository(read, fields, &mut world, out).await?;
        }
        out.close();
        let full_names: Vec<String> = repositories
            .iter()
            .map(|read| read.repository.full_name.clone())
            .collect();
        let found = self.projects(&owners, projects, &mut world).await?;
        list(out, "projects", &found)?;
        let installations =
            organizations::installations(self.api, &owners, &full_names, &mut world).await?;
        let apps = std::mem::take(&mut world.apps).items();
        list(out, "apps", &apps)?;
        list(out, "installations", &installations)?;
        // Owners of apps may be organizations that have no repository here.
        let known: BTreeSet<String> = owners.iter().map(|login| login.to_lowercase()).collect();
        organizations.extend(world.accounts.other_organizations(&known));
        list(out, "organizations", &organizations)?;
        let users = world.accounts.users(self.api, &mut world.left_out).await?;
        list(out, "users", &users)?;
        Ok(world.left_out)
    }

    fn owners(&self, repositories: &[Read], world: &mut Gathered) -> Vec<String> {
        let mut owners = Vec::new();
        for read in repositories {
            let owner = &read.repository.owner;
            let login = world.accounts.account(owner, &mut world.left_out);
            if !owners.contains(&login) {
                owners.push(login);
            }
        }
        owners
    }

    /// Reads everything of a repository, page by page, to the disk.
    async fn read(&self, name: &RepositoryName) -> Result<Read, ImportError> {
        let base = ["repos", &name.owner, &name.name];
        self.progress.step(&format!("{name}: repository"));
        let repository = match self.api.one::<GivenRepository>(&base).await? {
            Ok(repository) => repository,
            Err(refusal) => {
                return Err(ImportError::Server(format!(
                    "{name}: {} {}; the repository does not exist, or the token may not read it",
                    refusal.status, refusal.message
                )));
            }
        };
        let valid: Result<RepositoryName, _> = repository.full_name.parse();
        let valid = valid.map_err(ImportError::Server)?;
        let (mirror, path) = self.mirror(&repository, &valid).await?;
        // What is left out is noted when the world is written.
        let mut unnoted = Gathered::default();
        self.progress.step(&format!("{name}: pull requests"));
        let pulls = pulls::numbers(self.api, &base, &self.limits, &mut unnoted).await?;
        let mut commits = BTreeSet::new();
        for (index, number) in pulls.iter().enumerate() {
            self.progress.done(index, Some(pulls.len()));
            if let Some(bundle) = Bundle::read(self.api, &base, *number, &mut unnoted).await? {
                commits.extend(bundle.commits().map(str::to_owned));
                reports::of_commit(self.api, &base, &bundle.pull.head.sha, &mut unnoted).await?;
            }
        }
        self.progress.done(pulls.len(), Some(pulls.len()));
        let git = Git {
            token: self.api.client.token(),
        };
        let clone_url = self.clone_url(&repository)?;
        let commits = git.keep(&clone_url, &path, &commits).await?;
        Ok(Read {
            repository,
            commits,
            mirror,
        })
    }

    fn clone_url(&self, repository: &GivenRepository) -> Result<Url, ImportError> {
        let url = Url::parse(&repository.clone_url).ok();
        let url = url.filter(|url| self.api.client.root().may_clone_from(url));
        url.ok_or_else(|| {
            let shown: String = repository.clone_url.chars().take(80).collect();
            ImportError::Server(format!("{}: the server names {shown:?} as the address of its Git data, which is not an address of the server", repository.full_name))
        })
    }

    /// Clones the repository, unless this import has done that already. Returns where, relative
    /// to the world and not.
    async fn mirror(
        &self,
        repository: &GivenRepository,
        name: &RepositoryName,
    ) -> Result<(String, PathBuf), ImportError> {
        let url = self.clone_url(repository)?;
        let owner = name.owner.to_lowercase();
        let folder = self.folder.join(GIT).join(&owner);
        let file = format!("{}.{}.git", name.name.to_lowercase(), self.generation);
        let relative = format!("{GIT}/{owner}/{file}");
        let target = folder.join(&file);
        if !target.exists() {
            self.progress.step(&format!("{name}: git clone"));
            let before = folder.join(format!(
                "{}.{}.git",
                name.name.to_lowercase(),
                self.generation - 1
            ));
            let before = before.exists().then_some(before);
            let git = Git {
                token: self.api.client.token(),
            };
            git.mirror(&url, self.api.store.scratch(), &target, before.as_deref())
                .await?;
        }
        Ok((relative, target))
    }

    async fn write_repository(
        &self,
        read: &Read,
        fields: &BTreeMap<i64, String>,
        world: &mut Gathered,
        out: &mut dyn WorldWriter,
    ) -> Result<(), ImportError> {
        let repository = &read.repository;
        let base = ["repos", &repository.owner.login, &repository.name];
        let all = self
            .api
            .all::<Vec<Collaborator>>(
                &path(&base, &["collaborators"]),
                &[("affiliation", "direct")],
            )
            .await?;
        let collaborators = world.allowed("collaborators", all);
        let labels = issues::repository_labels(self.api, &base, world).await?;
        let item = repository_item(read, &collaborators, &labels, world);
        put(out, &item)?;
        let key = repository.full_name.to_lowercase();
        let mut reported = BTreeSet::new();
        out.open("pulls");
        for number in pulls::numbers(self.api, &base, &self.limits, world).await? {
            let Some(bundle) = Bundle::read(self.api, &base, number, world).await? else {
                continue;
            };
            let values = issues::field_values(self.api, &base, number, fields, world).await?;
            if let Some(item) = bundle.item(repository, &read.commits, &values, world) {
                put(out, &item)?;
                world.issues.insert((key.clone(), number));
                reported.insert(bundle.pull.head.sha.clone());
            }
        }
        out.close();
        self.write_issues(&base, &key, fields, world, out).await?;
        self.write_reports(&base, &reported, world, out).await
    }

    async fn write_issues(
        &self,
        base: &[&str],
        repository: &str,
        fields: &BTreeMap<i64, String>,
        world: &mut Gathered,
        out: &mut dyn WorldWriter,
    ) -> Result<(), ImportError> {
        let mut query = vec![("state", "all"), ("sort", "created"), ("direction", "asc")];
        query.extend(self.limits.since.as_deref().map(|since| ("since", since)));
        let mut pages = self
            .api
            .pages::<Vec<GivenIssue>>(&path(base, &["issues"]), &query)?;
        out.open("issues");
        loop {
            let page = match pages.next(self.api).await? {
                Ok(Some(page)) => page,
                Ok(None) => break,
                Err(refusal) => {
                    world.left_out.refused("issues", &refusal);
                    break;
                }
            };
            for issue in page.iter().filter(|issue| issue.pull_request.is_none()) {
                let key = (repository.to_owned(), issue.number);
                if world.issues.contains(&key) {
                    continue;
                }
                let values =
                    issues::field_values(self.api, base, issue.number, fields, world).await?;
                if let Some(item) = issues::item(self.api, base, issue, values, world).await? {
                    put(out, &item)?;
                    world.issues.insert(key);
                }
            }
        }
        out.close();
        Ok(())
    }

    /// The reports on the heads of the pull requests.
    async fn write_reports(
        &self,
        base: &[&str],
        commits: &BTreeSet<String>,
        world: &mut Gathered,
        out: &mut dyn WorldWriter,
    ) -> Result<(), ImportError> {
        let (mut statuses, mut runs) = (Vec::new(), Vec::new());
        for sha in commits {
            let (of_commit, runs_of_commit) =
                reports::of_commit(self.api, base, sha, world).await?;
            statuses.extend(of_commit);
            runs.extend(runs_of_commit);
        }
        list(out, "statuses", &statuses)?;
        list(out, "check_runs", &runs)
    }

    async fn projects(
        &self,
        owners: &[String],
        named: &[(String, i64)],
        world: &mut Gathered,
    ) -> Result<Vec<Value>, ImportError> {
        let mut items = Vec::new();
        for login in owners {
            let kind = match world.accounts.is_organization(login) {
                true => "orgs",
                false => "users",
            };
            let owner = [kind, login];
            let own = named
                .iter()
                .filter(|(owner, _)| owner.eq_ignore_ascii_case(login));
            let mut numbers: BTreeSet<i64> = own.map(|(_, number)| *number).collect();
            if named.is_empty() {
                numbers.extend(projects::numbers(self.api, &owner, world).await?);
            }
            let issues = std::mem::take(&mut world.issues);
            for number in numbers {
                items.extend(
                    projects::item(self.api, (login, &owner), number, &issues, world).await?,
                );
            }
            world.issues = issues;
        }
        Ok(items)
    }

    /// Removes the mirrors of earlier imports, which no world file refers to any more.
    pub fn remove_old_mirrors(&self) {
        let current = format!(".{}.git", self.generation);
        let owners = fs::read_dir(self.folder.join(GIT))
            .into_iter()
            .flatten()
            .flatten();
        let mirrors =
            owners.flat_map(|owner| fs::read_dir(owner.path()).into_iter().flatten().flatten());
        for mirror in mirrors {
            if !mirror.file_name().to_string_lossy().ends_with(&current) {
                let _ = fs::remove_dir_all(mirror.path());
            }
        }
    }
}

fn repository_item(
    read: &Read,
    collaborators: &[Collaborator],
    labels: &[Value],
    world: &mut Gathered,
) -> Value {
    let given = &read.repository;
    let visibility = match given.visibility.as_deref() {
        Some(name @ ("public" | "private" | "internal")) => name,
        _ if given.private => "private",
        _ => "public",
    };
    let mut people = Vec::new();
    let mut logins = BTreeSet::new();
    for collaborator in collaborators {
        let role = collaborator.role_name.as_deref();
        let Some(role @ ("read" | "triage" | "write" | "maintain" | "admin")) = role else {
            world
                .left_out
                .add("a collaborator", "the role is a custom one");
            continue;
        };
        let login = world.user(Some(&collaborator.account));
        if !login.eq_ignore_ascii_case(&given.owner.login) && logins.insert(login.clone()) {
            people.push(json!({"login": login, "permission": role}));
        }
    }
    let topic = |topic: &&String| {
        let valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        (1..=50).contains(&topic.len()) && !topic.starts_with('-') && topic.chars().all(valid)
    };
    let license = given
        .license
        .as_ref()
        .and_then(|license| license.spdx_id.clone());
    let license = license.filter(|name| {
        name != "NOASSERTION"
            && name.len() <= 64
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || ".+-".contains(c))
    });
    let branch = given
        .default_branch
        .clone()
        .filter(|name| crate::text::is_branch(name));
    let count = |count: Option<i64>| count.filter(|count| (0..1 << 52).contains(count));
    let item = json!({
        "id": world.id("repository", given.id),
        "full_name": given.full_name,
        "visibility": visibility,
        "default_branch": branch,
        "description": optional(&given.description),
        "homepage": given.homepage.as_deref().filter(|page| !page.is_empty()).map(text),
        "language": optional(&given.language),
        "topics": given.topics.iter().filter(topic).collect::<Vec<_>>(),
        "license": license,
        "mirror_url": url(&given.mirror_url),
        "stargazers_count": count(given.stargazers_count),
        "forks_count": count(given.forks_count),
        "archived": given.archived.filter(|value| *value),
        "disabled": given.disabled.filter(|value| *value),
        "fork": given.fork.filter(|value| *value),
        "is_template": given.is_template,
        "has_issues": given.has_issues,
        "has_projects": given.has_projects,
        "has_wiki": given.has_wiki,
        "has_pages": given.has_pages,
        "has_downloads": given.has_downloads,
        "allow_rebase_merge": given.allow_rebase_merge,
        "allow_squash_merge": given.allow_squash_merge,
        "allow_auto_merge": given.allow_auto_merge,
        "allow_merge_commit": given.allow_merge_commit,
        "delete_branch_on_merge": given.delete_branch_on_merge,
        "created_at": time(&given.created_at),
        "pushed_at": time(&given.pushed_at),
        "collaborators": people,
        "git": {"path": read.mirror},
        "labels": labels,
    });
    record(item)
}

fn list(out: &mut dyn WorldWriter, key: &'static str, items: &[Value]) -> Result<(), ImportError> {
    out.open(key);
    items.iter().try_for_each(|item| put(out, item))?;
    out.close();
    Ok(())
}

fn put(out: &mut dyn WorldWriter, item: &Value) -> Result<(), ImportError> {
    out.item(item).map_err(ImportError::Gathered)
}
