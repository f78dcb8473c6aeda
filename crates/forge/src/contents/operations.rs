//! The operations. `reading.rs` reads files, `writing.rs` changes them.

mod writing;

use async_trait::async_trait;

use super::operations::writing::FileEdit;
use super::{Contents, rules};
use contract::body::{Body, LargeBody};
use contract::call::Call;
use contract::contents::{ContentFile, DeleteFile, FileCommit, Operations, PathContents, PutFile};
use contract::formed::Formed;
use contract::paging::OptionalParameter;
use contract::reply::{CreatedOrExisting, Outcome, Reply};
use contract::shared::address::RepoAddress;
use storage::heavy;

#[async_trait]
impl Operations for Contents {
    async fn get_content(
        &self,
        call: Call,
        at: RepoAddress,
        path: String,
        name: OptionalParameter<String>,
    ) -> Outcome<Formed<PathContents>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let root = self.root(&grant, name.0).await?;
        heavy::with_permit(self.show(&call, &grant, &root, rules::path(&path))).await
    }

    async fn create_or_update_file(
        &self,
        call: Call,
        at: RepoAddress,
        path: String,
        body: LargeBody<PutFile>,
    ) -> Outcome<CreatedOrExisting<FileCommit>> {
        let grant = self.app.access.repository(&call, &at).await?;
        grant.writable()?;
        let prepare = move |body| FileEdit::put(rules::path(&path), body);
        let write = |change| async move { self.write(&call, &grant, &change).await };
        let (file_commit, created) = heavy::with_body(body, prepare, write).await?;
        let item = file_commit.content.0.as_ref();
        let location = item.map_or(String::new(), |item| item.core.url.0.clone());
        Ok(match created {
            true => CreatedOrExisting::Created(Reply::new(file_commit).location(location)),
            false => CreatedOrExisting::Existing(Reply::new(file_commit)),
        })
    }

    async fn delete_file(
        &self,
        call: Call,
        at: RepoAddress,
        path: String,
        body: Body<DeleteFile>,
    ) -> Outcome<Reply<200, FileCommit>> {
        let grant = self.app.access.repository(&call, &at).await?;
        grant.writable()?;
        let change = FileEdit::delete(rules::path(&path), body.validated()?);
        let (file_commit, _) = self.write(&call, &grant, &change).await?;
        Ok(Reply::new(file_commit))
    }

    async fn get_readme(
        &self,
        call: Call,
        at: RepoAddress,
        name: OptionalParameter<String>,
    ) -> Outcome<Formed<ContentFile>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let root = self.root(&grant, name.0).await?;
        let directories = rules::README_DIRECTORIES;
        heavy::with_permit(self.readme(&call, &grant, &root, &directories)).await
    }

    async fn get_readme_in_directory(
        &self,
        call: Call,
        at: RepoAddress,
        dir: String,
        name: OptionalParameter<String>,
    ) -> Outcome<Formed<ContentFile>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let root = self.root(&grant, name.0).await?;
        let directories = [rules::path(&dir)];
        heavy::with_permit(self.readme(&call, &grant, &root, &directories)).await
    }
}
