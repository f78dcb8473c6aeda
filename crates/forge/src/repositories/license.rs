//! Licences by their SPDX ids. Common ones have their names; for any other
//! the id itself is shown.

use crate::node_id;
use crate::urls::Urls;
use contract::shared::repository::License;

/// SPDX ids and the names that go with them.
const NAMES: [(&str, &str); 24] = [
    ("0BSD", "BSD Zero Clause License"),
    ("AFL-3.0", "Academic Free License v3.0"),
    ("AGPL-3.0", "GNU Affero General Public License v3.0"),
    ("Apache-2.0", "Apache License 2.0"),
    ("Artistic-2.0", "Artistic License 2.0"),
    ("BSD-2-Clause", "BSD 2-Clause \"Simplified\" License"),
    (
        "BSD-3-Clause",
        "BSD 3-Clause \"New\" or \"Revised\" License",
    ),
    ("BSL-1.0", "Boost Software License 1.0"),
    (
        "CC-BY-4.0",
        "Creative Commons Attribution 4.0 International",
    ),
    (
        "CC-BY-SA-4.0",
        "Creative Commons Attribution Share Alike 4.0 International",
    ),
    ("CC0-1.0", "Creative Commons Zero v1.0 Universal"),
    ("ECL-2.0", "Educational Community License v2.0"),
    ("EPL-2.0", "Eclipse Public License 2.0"),
    ("EUPL-1.2", "European Union Public License 1.2"),
    ("GPL-2.0", "GNU General Public License v2.0"),
    ("GPL-3.0", "GNU General Public License v3.0"),
    ("ISC", "ISC License"),
    ("LGPL-2.1", "GNU Lesser General Public License v2.1"),
    ("LGPL-3.0", "GNU Lesser General Public License v3.0"),
    ("MIT", "MIT License"),
    ("MPL-2.0", "Mozilla Public License 2.0"),
    ("Unlicense", "The Unlicense"),
    ("WTFPL", "Do What The F*ck You Want To Public License"),
    ("Zlib", "zlib License"),
];

/// The licence with this SPDX id.
pub fn license(urls: &Urls, spdx_id: &str) -> License {
    let key = spdx_id.to_lowercase();
    let common = NAMES
        .iter()
        .find(|(id, _)| id.eq_ignore_ascii_case(spdx_id));
    let (id, name) = common.copied().unwrap_or((spdx_id, spdx_id));
    License {
        name: name.to_owned(),
        url: Some(format!("{}/licenses/{key}", urls.api).into()).into(),
        spdx_id: Some(id.to_owned()).into(),
        node_id: node_id::license(&key),
        html_url: format!("https://spdx.org/licenses/{id}.html").into(),
        key,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_id_has_its_name_and_an_unknown_one_names_itself() {
        let urls = Urls {
            api: "http://forge.test".into(),
            web: "http://forge.test".into(),
        };
        let mit = license(&urls, "mit");
        assert_eq!(mit.name, "MIT License");
        assert_eq!(mit.spdx_id.0.as_deref(), Some("MIT"));
        let other = license(&urls, "Beerware");
        assert_eq!(
            (other.key.as_str(), other.name.as_str()),
            ("beerware", "Beerware")
        );
    }
}
