//! How a tree becomes types: the keys of a record, the words of an enumeration, and
//! the lists and mappings of values. Single values are read in `scalar.rs`; which records
//! exist is said in `file.rs`.
//! The rule that surprises: reading goes on after a problem. A required value that
//! cannot be read is replaced by its default, which stands nowhere, so that one
//! mistake is reported once and everything else is still checked.

use super::findings::{Finding, Findings, one_of, quoted};
use super::node::{At, Content, Node};

/// A value that a node of the file can be read as. `key` is the key that it stands
/// under, for the words of a finding.
pub trait FromNode: Sized {
    fn from_node(node: &Node, key: &str, findings: &mut Findings) -> Option<Self>;
}

/// A mapping whose keys the file chooses, in the order of the file.
pub type Entries<T> = Vec<(At<String>, T)>;

/// The mapping of one record. Unknown keys are reported when it is opened.
pub struct Keys<'a> {
    node: &'a Node,
    what: &'static str,
    entries: &'a [(At<String>, Node)],
}

impl<'a> Keys<'a> {
    pub fn open(
        node: &'a Node,
        key: &str,
        what: &'static str,
        known: &[&str],
        findings: &mut Findings,
    ) -> Option<Self> {
        let Content::Mapping(entries) = &node.content else {
            mismatch(node, key, &format!("{what}: a mapping"), findings);
            return None;
        };
        for (name, _) in entries {
            if !known.contains(&name.value.as_str()) {
                unknown_key(name, what, known, findings);
            }
        }
        Some(Self {
            node,
            what,
            entries,
        })
    }

    /// A key with no value is a key that is not there.
    pub fn get(&self, key: &str) -> Option<&'a Node> {
        self.entries
            .iter()
            .find(|(name, _)| name.value == key)
            .map(|(_, node)| node)
            .filter(|node| !node.is_null())
    }

    pub fn required<T: FromNode + Default>(&self, key: &str, findings: &mut Findings) -> T {
        let Some(node) = self.get(key) else {
            findings.push(self.without(key));
            return T::default();
        };
        T::from_node(node, key, findings).unwrap_or_default()
    }

    fn without(&self, key: &str) -> Finding {
        let wrong = format!("{} without {}", self.what, quoted(key));
        let keys: Vec<&str> = self.entries.iter().map(|(name, _)| &*name.value).collect();
        let found = match keys[..] {
            [] => "no keys".to_owned(),
            _ if keys.contains(&key) => "it without a value".to_owned(),
            _ => format!("only {}", listed(&keys)),
        };
        Finding::at(self.node.place, wrong)
            .expected(format!("the key {}", quoted(key)))
            .found(found)
    }

    pub fn optional<T: FromNode>(&self, key: &str, findings: &mut Findings) -> Option<T> {
        T::from_node(self.get(key)?, key, findings)
    }

    pub fn defaulted<T: FromNode + Default>(&self, key: &str, findings: &mut Findings) -> T {
        self.optional(key, findings).unwrap_or_default()
    }
}

/// A long list of keys is only shown to someone whose key is near none of them.
const MANY_KEYS: usize = 16;

pub fn unknown_key(name: &At<String>, what: &str, known: &[&str], findings: &mut Findings) {
    let nearest = findings.nearest(&name.value, known.iter().copied());
    let expected = match nearest {
        Some(_) if known.len() > MANY_KEYS => format!("one of its {} keys", known.len()),
        _ => one_of(known),
    };
    findings.push(
        Finding::at(
            name.place,
            format!("unknown key {} in {what}", quoted(&name.value)),
        )
        .expected(expected)
        .nearest(nearest),
    );
}

pub fn mismatch(node: &Node, key: &str, expected: &str, findings: &mut Findings) {
    findings.push(
        Finding::at(node.place, format!("wrong value for {}", quoted(key)))
            .expected(expected)
            .found(node.describe()),
    );
}

fn listed(keys: &[&str]) -> String {
    let shown: Vec<String> = keys.iter().take(8).map(|key| quoted(key)).collect();
    let more = if keys.len() > shown.len() {
        ", …"
    } else {
        ""
    };
    format!("{}{more}", shown.join(", "))
}

impl<T: FromNode> FromNode for At<T> {
    fn from_node(node: &Node, key: &str, findings: &mut Findings) -> Option<Self> {
        Some(Self {
            place: node.place,
            value: T::from_node(node, key, findings)?,
        })
    }
}

impl<T: FromNode> FromNode for Vec<T> {
    fn from_node(node: &Node, key: &str, findings: &mut Findings) -> Option<Self> {
        let Content::List(items) = &node.content else {
            mismatch(node, key, "a list", findings);
            return None;
        };
        Some(
            items
                .iter()
                .filter_map(|item| T::from_node(item, key, findings))
                .collect(),
        )
    }
}

/// Read by a function of its own: `Entries` is a `Vec` too, and a list is not a mapping.
pub fn entries<T: FromNode>(node: &Node, key: &str, findings: &mut Findings) -> Entries<T> {
    let Content::Mapping(entries) = &node.content else {
        mismatch(node, key, "a mapping", findings);
        return Entries::new();
    };
    entries
        .iter()
        .filter_map(|(name, node)| Some((name.clone(), T::from_node(node, &name.value, findings)?)))
        .collect()
}

/// Reads one of a few words.
pub fn word<T: Copy>(
    node: &Node,
    key: &str,
    words: &[(&str, T)],
    findings: &mut Findings,
) -> Option<T> {
    let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
    let mut nearest = None;
    if let Content::Text(text) = &node.content {
        if let Some((_, value)) = words.iter().find(|(name, _)| name == text) {
            return Some(*value);
        }
        nearest = findings.nearest(text, names.iter().copied());
    }
    findings.push(
        Finding::at(node.place, format!("wrong value for {}", quoted(key)))
            .expected(one_of(&names))
            .found(node.describe())
            .nearest(nearest),
    );
    None
}

/// Declares a record: a struct, the keys that it takes, and how each is read.
/// `required` and `defaulted` keys give their type, `optional` ones an `Option`,
/// `list` ones a `Vec`, `entries` ones an `Entries`.
macro_rules! record {
    (
        $(#[$about:meta])*
        $name:ident is $what:literal {
            $( $(#[$field_about:meta])* $mode:ident $field:ident: $kind:ty, )*
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone)]
        pub struct $name {
            pub place: $crate::world::node::Place,
            $( $(#[$field_about])* pub $field: record!(@kind $mode $kind), )*
        }

        impl $name {
            pub const KEYS: &[&str] = &[$( stringify!($field) ),*];
        }

        impl $crate::world::record::FromNode for $name {
            fn from_node(
                node: &$crate::world::node::Node,
                key: &str,
                findings: &mut $crate::world::findings::Findings,
            ) -> Option<Self> {
                let keys =
                    $crate::world::record::Keys::open(node, key, $what, Self::KEYS, findings)?;
                Some(Self {
                    place: node.place,
                    $( $field: record!(@read $mode keys, stringify!($field), findings), )*
                })
            }
        }
    };
    (@kind optional $kind:ty) => { Option<$kind> };
    (@kind list $kind:ty) => { Vec<$kind> };
    (@kind entries $kind:ty) => { $crate::world::record::Entries<$kind> };
    (@kind $mode:ident $kind:ty) => { $kind };
    (@read list $keys:ident, $key:expr, $findings:ident) => { $keys.defaulted($key, $findings) };
    (@read entries $keys:ident, $key:expr, $findings:ident) => {
        $keys
            .get($key)
            .map(|node| $crate::world::record::entries(node, $key, $findings))
            .unwrap_or_default()
    };
    (@read $mode:ident $keys:ident, $key:expr, $findings:ident) => { $keys.$mode($key, $findings) };
}

/// Declares an enumeration by its words.
macro_rules! words {
    (
        $(#[$about:meta])*
        $name:ident { $( $(#[$variant_about:meta])* $variant:ident = $word:literal, )* }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub enum $name { $( $(#[$variant_about])* $variant, )* }

        impl $crate::world::record::FromNode for $name {
            fn from_node(
                node: &$crate::world::node::Node,
                key: &str,
                findings: &mut $crate::world::findings::Findings,
            ) -> Option<Self> {
                let words = [$( ($word, Self::$variant) ),*];
                $crate::world::record::word(node, key, &words, findings)
            }
        }

        impl $name {
            /// The word that the file and the database have for it.
            pub fn word(self) -> &'static str {
                match self { $( Self::$variant => $word, )* }
            }
        }
    };
}

pub(super) use {record, words};
