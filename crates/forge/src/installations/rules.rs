//! When a repository may be removed from an installation.

use contract::problem::Problem;
use contract::reply::Outcome;
use storage::entities::installation::RepositorySelection;

const ON_ALL: &str = "The app is installed on all repositories, so none of them can be removed.";
const LAST: &str = "The last repository of an installation cannot be removed.";

/// Spec, App installations, rule 6. `installed` is whether the repository is
/// on the installation, `count` how many are.
pub fn removable(selection: RepositorySelection, installed: bool, count: u64) -> Outcome<()> {
    if selection == RepositorySelection::All {
        return Err(Problem::Refused(ON_ALL.into()));
    }
    if !installed {
        return Err(Problem::NotFound);
    }
    if count <= 1 {
        return Err(Problem::Refused(LAST.into()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(selection: RepositorySelection, installed: bool, count: u64) -> Option<u16> {
        removable(selection, installed, count)
            .err()
            .map(|problem| problem.status().as_u16())
    }

    #[test]
    fn one_of_several_selected_repositories_may_go() {
        assert_eq!(status(RepositorySelection::Selected, true, 2), None);
    }

    #[test]
    fn the_last_one_stays_and_so_does_every_one_of_all() {
        assert_eq!(status(RepositorySelection::Selected, true, 1), Some(422));
        assert_eq!(status(RepositorySelection::All, true, 9), Some(422));
        assert_eq!(status(RepositorySelection::All, false, 0), Some(422));
    }

    #[test]
    fn what_is_not_installed_is_not_found_even_if_one_is_left() {
        assert_eq!(status(RepositorySelection::Selected, false, 1), Some(404));
    }
}
