//! The project item API. An item is an issue, a pull request or a draft issue that a project
//! tracks. The request bodies and representations are in `project_items/`.
//!
//! As with fields, projects of organizations and of users have their own operations. The
//! methods without a route implement both.

mod bodies;
mod listing;
mod view;

pub use bodies::{
    AddProjectItem, AddedItemType, CreateProjectDraft, SetItemField, UpdateProjectItem,
};
use contract_macros::operations;
pub use listing::{ItemFields, ItemList};
pub use view::{
    DraftIssue, ItemContent, ItemContentType, ItemFieldValue, ProjectItem, SimpleProjectItem,
};

use super::body::Body;
use super::call::Call;
use super::paging::{OptionalParameter, PerPage};
use super::reply::{Empty, Outcome, Reply};
use super::shared::address::{OrgProject, ProjectAddress, UserIdProject, UserProject};

/// The operations; `forge::project_items` implements them.
#[operations(ProjectItems)]
pub trait Operations: Send + Sync {
    async fn list_project_items(
        &self,
        call: Call,
        at: ProjectAddress,
        list: ItemList,
    ) -> Outcome<Reply<200, Vec<ProjectItem>>>;

    async fn add_project_item(
        &self,
        call: Call,
        at: ProjectAddress,
        body: Body<AddProjectItem>,
    ) -> Outcome<Reply<201, SimpleProjectItem>>;

    async fn create_project_draft(
        &self,
        call: Call,
        at: ProjectAddress,
        body: Body<CreateProjectDraft>,
    ) -> Outcome<Reply<201, SimpleProjectItem>>;

    async fn get_project_item(
        &self,
        call: Call,
        at: ProjectAddress,
        item_id: i64,
        fields: ItemFields,
    ) -> Outcome<Reply<200, ProjectItem>>;

    async fn update_project_item(
        &self,
        call: Call,
        at: ProjectAddress,
        item_id: i64,
        body: Body<UpdateProjectItem>,
    ) -> Outcome<Reply<200, ProjectItem>>;

    async fn delete_project_item(
        &self,
        call: Call,
        at: ProjectAddress,
        item_id: i64,
    ) -> Outcome<Empty>;

    /// List items for an organization owned project
    ///
    /// Returns the items of a project that an organization owns, in the order in which they
    /// were added. The list is paginated with cursors: follow the `Link` header. Archived items
    /// are omitted unless `q` contains `is:archived`. `content` is `null` if the caller may not
    /// read the issue or pull request.
    #[get(
        "/orgs/{org}/projectsV2/{project_number}/items",
        docs = "projects/items#list-items-for-an-organization-owned-project"
    )]
    #[access(open, READ_ORG_PROJECT)]
    #[fails(403, 404, 422)]
    #[cached]
    #[links(get_org_project_item, item_id = "/0/id")]
    async fn list_org_project_items(
        &self,
        call: Call,
        at: OrgProject,
        #[query(
            q: OptionalParameter<String>,
            fields: OptionalParameter<String>,
            per_page: PerPage,
            before: OptionalParameter<String>,
            after: OptionalParameter<String>,
        )]
        list: ItemList,
    ) -> Outcome<Reply<200, Vec<ProjectItem>>> {
        self.list_project_items(call, at.0, list).await
    }

    /// Add item to organization owned project
    ///
    /// Adds an issue or a pull request to a project that an organization owns: by its
    /// identifier, or by its repository and number. If the project already has the item, it is
    /// returned unchanged.
    #[post(
        "/orgs/{org}/projectsV2/{project_number}/items",
        docs = "projects/items#add-item-to-organization-owned-project"
    )]
    #[access(open, WRITE_ORG_PROJECT)]
    #[fails(304, 403, 404, 422)]
    #[links(
        get_org_project_item,
        update_org_project_item,
        delete_org_project_item,
        item_id = "/id"
    )]
    async fn add_org_project_item(
        &self,
        call: Call,
        at: OrgProject,
        body: Body<AddProjectItem>,
    ) -> Outcome<Reply<201, SimpleProjectItem>> {
        self.add_project_item(call, at.0, body).await
    }

    /// Create draft item for organization owned project
    ///
    /// Adds a draft issue, which belongs to no repository, to a project that an organization owns.
    #[post(
        "/orgs/{org}/projectsV2/{project_number}/drafts",
        docs = "projects/drafts#create-draft-item-for-organization-owned-project"
    )]
    #[access(open, WRITE_ORG_PROJECT)]
    #[fails(304, 403, 404, 422)]
    #[links(
        get_org_project_item,
        update_org_project_item,
        delete_org_project_item,
        item_id = "/id"
    )]
    async fn create_org_project_draft(
        &self,
        call: Call,
        at: OrgProject,
        body: Body<CreateProjectDraft>,
    ) -> Outcome<Reply<201, SimpleProjectItem>> {
        self.create_project_draft(call, at.0, body).await
    }

    /// Get an item for an organization owned project
    ///
    /// Returns one item of a project that an organization owns. The item may be archived.
    #[get(
        "/orgs/{org}/projectsV2/{project_number}/items/{item_id}",
        docs = "projects/items#get-an-item-for-an-organization-owned-project"
    )]
    #[access(open, READ_ORG_PROJECT)]
    #[fails(403, 404, 422)]
    #[cached]
    async fn get_org_project_item(
        &self,
        call: Call,
        at: OrgProject,
        item_id: i64,
        #[query(fields: OptionalParameter<String>)] fields: ItemFields,
    ) -> Outcome<Reply<200, ProjectItem>> {
        self.get_project_item(call, at.0, item_id, fields).await
    }

    /// Update project item for organization
    ///
    /// Updates an item of a project that an organization owns: sets the values of fields,
    /// either all or none of them, and archives or restores the item. Fields of the types
    /// `text`, `number`, `date`, `single_select` and `iteration` can be set.
    #[patch(
        "/orgs/{org}/projectsV2/{project_number}/items/{item_id}",
        docs = "projects/items#update-project-item-for-organization"
    )]
    #[access(open, WRITE_ORG_PROJECT)]
    #[fails(403, 404, 422)]
    async fn update_org_project_item(
        &self,
        call: Call,
        at: OrgProject,
        item_id: i64,
        body: Body<UpdateProjectItem>,
    ) -> Outcome<Reply<200, ProjectItem>> {
        self.update_project_item(call, at.0, item_id, body).await
    }

    /// Delete project item for organization
    ///
    /// Removes an item from a project that an organization owns. A draft issue is deleted; an
    /// issue or a pull request is kept.
    #[delete(
        "/orgs/{org}/projectsV2/{project_number}/items/{item_id}",
        docs = "projects/items#delete-project-item-for-organization"
    )]
    #[access(open, WRITE_ORG_PROJECT)]
    #[fails(403, 404)]
    async fn delete_org_project_item(
        &self,
        call: Call,
        at: OrgProject,
        item_id: i64,
    ) -> Outcome<Empty> {
        self.delete_project_item(call, at.0, item_id).await
    }

    /// List items for a user owned project
    ///
    /// Returns the items of a project that a user owns, in the order in which they were added.
    /// The list is paginated with cursors: follow the `Link` header. Archived items are omitted
    /// unless `q` contains `is:archived`. `content` is `null` if the caller may not read the
    /// issue or pull request. App tokens and fine-grained personal access tokens do not work
    /// here.
    #[get(
        "/users/{username}/projectsV2/{project_number}/items",
        docs = "projects/items#list-items-for-a-user-owned-project"
    )]
    #[access(token, READ_USER_PROJECT)]
    #[fails(403, 404, 422)]
    #[cached]
    #[links(get_user_project_item, item_id = "/0/id")]
    async fn list_user_project_items(
        &self,
        call: Call,
        at: UserProject,
        #[query(
            q: OptionalParameter<String>,
            fields: OptionalParameter<String>,
            per_page: PerPage,
            before: OptionalParameter<String>,
            after: OptionalParameter<String>,
        )]
        list: ItemList,
    ) -> Outcome<Reply<200, Vec<ProjectItem>>> {
        self.list_project_items(call, at.0, list).await
    }

    /// Add item to user owned project
    ///
    /// Adds an issue or a pull request to a project that a user owns: by its identifier, or by
    /// its repository and number. If the project already has the item, it is returned
    /// unchanged. App tokens and fine-grained personal access tokens do not work here.
    #[post(
        "/users/{username}/projectsV2/{project_number}/items",
        docs = "projects/items#add-item-to-user-owned-project"
    )]
    #[access(token, WRITE_USER_PROJECT)]
    #[fails(304, 403, 404, 422)]
    #[links(
        get_user_project_item,
        update_user_project_item,
        delete_user_project_item,
        item_id = "/id"
    )]
    async fn add_user_project_item(
        &self,
        call: Call,
        at: UserProject,
        body: Body<AddProjectItem>,
    ) -> Outcome<Reply<201, SimpleProjectItem>> {
        self.add_project_item(call, at.0, body).await
    }

    /// Create draft item for user owned project
    ///
    /// Adds a draft issue, which belongs to no repository, to a project that a user owns. App
    /// tokens and fine-grained personal access tokens do not work here.
    #[post(
        "/user/{user_id}/projectsV2/{project_number}/drafts",
        docs = "projects/drafts#create-draft-item-for-user-owned-project"
    )]
    #[access(token, WRITE_USER_PROJECT)]
    #[fails(304, 403, 404, 422)]
    async fn create_user_project_draft(
        &self,
        call: Call,
        at: UserIdProject,
        body: Body<CreateProjectDraft>,
    ) -> Outcome<Reply<201, SimpleProjectItem>> {
        self.create_project_draft(call, at.0, body).await
    }

    /// Get an item for a user owned project
    ///
    /// Returns one item of a project that a user owns. The item may be archived. App tokens and
    /// fine-grained personal access tokens do not work here.
    #[get(
        "/users/{username}/projectsV2/{project_number}/items/{item_id}",
        docs = "projects/items#get-an-item-for-a-user-owned-project"
    )]
    #[access(token, READ_USER_PROJECT)]
    #[fails(403, 404, 422)]
    #[cached]
    async fn get_user_project_item(
        &self,
        call: Call,
        at: UserProject,
        #[example("5503")] item_id: i64,
        #[query(fields: OptionalParameter<String>)] fields: ItemFields,
    ) -> Outcome<Reply<200, ProjectItem>> {
        self.get_project_item(call, at.0, item_id, fields).await
    }

    /// Update project item for user
    ///
    /// Updates an item of a project that a user owns: sets the values of fields, either all or
    /// none of them, and archives or restores the item. Fields of the types `text`, `number`,
    /// `date`, `single_select` and `iteration` can be set. App tokens and fine-grained personal
    /// access tokens do not work here.
    #[patch(
        "/users/{username}/projectsV2/{project_number}/items/{item_id}",
        docs = "projects/items#update-project-item-for-user"
    )]
    #[access(token, WRITE_USER_PROJECT)]
    #[fails(403, 404, 422)]
    async fn update_user_project_item(
        &self,
        call: Call,
        at: UserProject,
        #[example("5503")] item_id: i64,
        body: Body<UpdateProjectItem>,
    ) -> Outcome<Reply<200, ProjectItem>> {
        self.update_project_item(call, at.0, item_id, body).await
    }

    /// Delete project item for user
    ///
    /// Removes an item from a project that a user owns. A draft issue is deleted; an issue or a
    /// pull request is kept. App tokens and fine-grained personal access tokens do not work
    /// here.
    #[delete(
        "/users/{username}/projectsV2/{project_number}/items/{item_id}",
        docs = "projects/items#delete-project-item-for-user"
    )]
    #[access(token, WRITE_USER_PROJECT)]
    #[fails(403, 404)]
    async fn delete_user_project_item(
        &self,
        call: Call,
        at: UserProject,
        #[example("5503")] item_id: i64,
    ) -> Outcome<Empty> {
        self.delete_project_item(call, at.0, item_id).await
    }
}
