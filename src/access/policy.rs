//! What a row of the permission table means for a caller. The rows are declared with their
//! operations, in `contract/`; the neighbouring files apply them to resources.

use crate::contract::caller::{Caller, Level, Permissions};
use crate::contract::operation::{Grant, Kinds, Rule};

/// The permission that is granted by default: every fine-grained token, app and
/// installation can read metadata, unless a world says `none`.
pub const METADATA: &str = "metadata";

impl Kinds {
    pub fn include(self, caller: &Caller) -> bool {
        match caller {
            Caller::Anonymous | Caller::App { .. } => false,
            Caller::Classic { .. } => self.classic,
            Caller::OAuth { .. } => self.oauth,
            Caller::FineGrained { .. } => self.fine_grained,
            Caller::AppUser { .. } => self.app_user,
            Caller::Installation { .. } => self.installation,
        }
    }
}

impl Rule {
    /// Whether a fine-grained or app token has the permissions of the operation.
    pub fn is_granted(&self, granted: &Permissions) -> bool {
        let has =
            |(name, level): Grant| granted.get(name).is_some_and(|held: &Level| *held >= level);
        let all = self.permission.is_none_or(has) && self.and_permission.is_none_or(has);
        all || self.or_permission.is_some_and(has)
    }
}

#[cfg(test)]
mod tests {
    use crate::contract;

    #[test]
    fn each_operation_of_the_documents_is_known() {
        let published = [contract::service(), contract::companion()]
            .into_iter()
            .flat_map(|document| document["paths"].as_object().into_iter().flatten())
            .flat_map(|(_, item)| item.as_object().into_iter().flatten())
            .filter_map(|(_, operation)| operation["operationId"].as_str());
        for id in published {
            assert_eq!(
                contract::operation(id).map(|operation| operation.id),
                Some(id)
            );
        }
    }
}
