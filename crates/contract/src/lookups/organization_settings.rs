//! The settings of an organization that its owners see. No request can change them, and all but
//! one have the defaults of a new organization.

use contract_macros::schema;

/// Defines the settings, each with its default in a new organization.
macro_rules! settings {
    ($($(#[$about:meta])* $name:ident: $value:literal,)*) => {
        /// The settings of an organization. They are omitted unless the caller owns it.
        #[schema]
        #[derive(Default)]
        pub struct OrganizationSettings {
            /// The base permission of members on each repository: `none`, `read`, `write` or
            /// `admin`.
            pub default_repository_permission: Option<String>,
            /// Always `all`; kept for clients that expect it.
            pub members_allowed_repository_creation_type: Option<String>,
            $(
                $(#[$about])*
                pub $name: Option<bool>,
            )*
        }

        impl OrganizationSettings {
            /// The settings that an owner sees.
            pub fn new(base_permission: &str) -> Self {
                Self {
                    default_repository_permission: Some(base_permission.to_owned()),
                    members_allowed_repository_creation_type: Some("all".to_owned()),
                    $($name: Some($value),)*
                }
            }
        }
    };
}

settings! {
    /// Always true; kept for clients that expect it.
    members_can_create_repositories: true,
    /// Always true; kept for clients that expect it.
    members_can_create_public_repositories: true,
    /// Always true; kept for clients that expect it.
    members_can_create_private_repositories: true,
    /// Always false; kept for clients that expect it.
    members_can_create_internal_repositories: false,
    /// Always true; kept for clients that expect it.
    members_can_create_pages: true,
    /// Always true; kept for clients that expect it.
    members_can_create_public_pages: true,
    /// Always true; kept for clients that expect it.
    members_can_create_private_pages: true,
    /// Always false; kept for clients that expect it.
    members_can_fork_private_repositories: false,
    /// Always false; kept for clients that expect it.
    two_factor_requirement_enabled: false,
    /// Always false; kept for clients that expect it.
    web_commit_signoff_required: false,
}
