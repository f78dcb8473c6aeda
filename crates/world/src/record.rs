//! Reads types from a tree: the keys of a record, and lists and mappings of values.
//! Single values are read in `scalar.rs`; `file.rs` declares the records.
//! Note: reading continues after a problem. A required value that cannot be read is replaced by
//! the default, without a location, so that one mistake is reported once and everything else is
//! still checked.

use super::findings::{Finding, Findings, one_of, quoted};
use super::yaml::{At, Yaml, YamlValue};

/// A type that can be read from a node of the file. `key` is the key of the node, for
/// the words of a finding.
pub trait FromYaml: Sized {
    fn from_yaml(yaml: &Yaml, key: &str, findings: &mut Findings) -> Option<Self>;
}

/// A mapping whose keys the file chooses, in the order of the file.
pub type Entries<T> = Vec<(At<String>, T)>;

/// A type that is a mapping with fixed keys; `record!` declares it.
pub trait Record: Sized {
    /// Its name in findings.
    const LABEL: &'static str;

    /// Its own keys, without those of a request body.
    const FIELDS: &'static [&'static str];

    fn keys() -> Vec<&'static str>;

    fn read(keys: &Keys<'_>, findings: &mut Findings) -> Self;
}

/// The mapping of one record. Opening it reports unknown keys.
pub struct Keys<'a> {
    pub yaml: &'a Yaml,
    label: &'static str,
    allowed: &'a [&'static str],
}

impl<'a> Keys<'a> {
    pub fn open(
        yaml: &'a Yaml,
        key: &str,
        label: &'static str,
        allowed: &'a [&'static str],
        findings: &mut Findings,
    ) -> Option<Self> {
        let YamlValue::Mapping(entries) = &yaml.value else {
            mismatch(yaml, key, &format!("{label}: a mapping"), findings);
            return None;
        };
        for (name, _) in entries {
            if !allowed.contains(&name.value.as_str()) {
                unknown_key(name, label, allowed, findings);
            }
        }
        Some(Self {
            yaml,
            label,
            allowed,
        })
    }

    pub fn allows(&self, key: &str) -> bool {
        self.allowed.contains(&key)
    }

    /// A key without a value counts as absent, and so does an unknown one.
    pub fn get(&self, key: &str) -> Option<&'a Yaml> {
        if !self.allows(key) {
            return None;
        }
        self.yaml
            .entries()
            .iter()
            .find(|(name, _)| name.value == key)
            .map(|(_, yaml)| yaml)
            .filter(|yaml| !yaml.is_null())
    }

    pub fn required<T: FromYaml + Default>(&self, key: &str, findings: &mut Findings) -> T {
        let Some(yaml) = self.get(key) else {
            findings.push(self.missing(key));
            return T::default();
        };
        T::from_yaml(yaml, key, findings).unwrap_or_default()
    }

    pub fn missing(&self, key: &str) -> Finding {
        let message = format!("missing key {} in {}", quoted(key), self.label);
        let entries = self.yaml.entries().iter();
        let keys: Vec<&str> = entries.map(|(name, _)| &*name.value).collect();
        let found = match keys[..] {
            [] => "no keys".to_owned(),
            _ if keys.contains(&key) => "the key without a value".to_owned(),
            _ => format!("only {}", listed(&keys)),
        };
        Finding::at(self.yaml.location, message).found(found)
    }

    pub fn optional<T: FromYaml>(&self, key: &str, findings: &mut Findings) -> Option<T> {
        T::from_yaml(self.get(key)?, key, findings)
    }

    /// An absent list is empty.
    pub fn list<T: FromYaml>(&self, key: &str, findings: &mut Findings) -> Vec<T> {
        self.optional(key, findings).unwrap_or_default()
    }

    /// An absent mapping is empty.
    pub fn entries<T: FromYaml>(&self, key: &str, findings: &mut Findings) -> Entries<T> {
        let Some(yaml) = self.get(key) else {
            return Entries::new();
        };
        let YamlValue::Mapping(entries) = &yaml.value else {
            mismatch(yaml, key, "a mapping", findings);
            return Entries::new();
        };
        let read = entries.iter().filter_map(|(name, yaml)| {
            Some((name.clone(), T::from_yaml(yaml, &name.value, findings)?))
        });
        read.collect()
    }
}

/// A longer list of keys is only shown if none of them is similar.
const MANY_KEYS: usize = 16;

pub fn unknown_key(name: &At<String>, label: &str, allowed: &[&str], findings: &mut Findings) {
    let nearest = findings.nearest(&name.value, allowed.iter().copied());
    let expected = match nearest {
        Some(_) if allowed.len() > MANY_KEYS => format!("one of its {} keys", allowed.len()),
        _ => one_of(allowed),
    };
    findings.push(
        Finding::at(
            name.location,
            format!("unknown key {} in {label}", quoted(&name.value)),
        )
        .expected(expected)
        .nearest(nearest),
    );
}

pub fn mismatch(yaml: &Yaml, key: &str, expected: &str, findings: &mut Findings) {
    findings.push(
        Finding::at(yaml.location, format!("wrong value for {}", quoted(key)))
            .expected(expected)
            .found(yaml.describe()),
    );
}

fn listed(keys: &[&str]) -> String {
    let quoted_keys: Vec<String> = keys.iter().take(8).map(|key| quoted(key)).collect();
    let more = if keys.len() > quoted_keys.len() {
        ", …"
    } else {
        ""
    };
    format!("{}{more}", quoted_keys.join(", "))
}

impl<T: FromYaml> FromYaml for At<T> {
    fn from_yaml(yaml: &Yaml, key: &str, findings: &mut Findings) -> Option<Self> {
        Some(Self {
            location: yaml.location,
            value: T::from_yaml(yaml, key, findings)?,
        })
    }
}

impl<T: FromYaml> FromYaml for Vec<T> {
    fn from_yaml(yaml: &Yaml, key: &str, findings: &mut Findings) -> Option<Self> {
        let YamlValue::List(items) = &yaml.value else {
            mismatch(yaml, key, "a list", findings);
            return None;
        };
        Some(
            items
                .iter()
                .filter_map(|item| T::from_yaml(item, key, findings))
                .collect(),
        )
    }
}

/// Declares a record: a struct, the keys that it takes, and how each is read.
/// `required` keys have their type, `optional` ones an `Option`, `list` ones a `Vec`,
/// `entries` ones an `Entries`. The last key may be `request`: the record also takes the
/// keys of that request body. A `loose` record leaves it to the caller to open its keys.
macro_rules! record {
    (
        $(#[$about:meta])*
        loose $name:ident is $label:literal {
            $( $(#[$field_about:meta])* $mode:ident $field:ident: $kind:ty, )*
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone)]
        pub struct $name {
            pub location: $crate::yaml::Location,
            $( $(#[$field_about])* pub $field: record!(@kind $mode $kind), )*
        }

        impl $crate::record::Record for $name {
            const LABEL: &'static str = $label;
            const FIELDS: &'static [&'static str] = &[$( stringify!($field) ),*];

            #[allow(clippy::vec_init_then_push, reason = "a request body adds several")]
            fn keys() -> Vec<&'static str> {
                let mut keys = Vec::new();
                $( record!(@keys $mode keys, $field, $kind); )*
                keys
            }

            fn read(
                keys: &$crate::record::Keys<'_>,
                findings: &mut $crate::findings::Findings,
            ) -> Self {
                Self {
                    location: keys.yaml.location,
                    $( $field: record!(@read $mode keys, $field, $kind, findings), )*
                }
            }
        }
    };
    (
        $(#[$about:meta])*
        $name:ident is $label:literal { $($fields:tt)* }
    ) => {
        record! { $(#[$about])* loose $name is $label { $($fields)* } }

        impl $crate::record::FromYaml for $name {
            fn from_yaml(
                yaml: &$crate::yaml::Yaml,
                key: &str,
                findings: &mut $crate::findings::Findings,
            ) -> Option<Self> {
                use $crate::record::{Keys, Record};
                let allowed = Self::keys();
                let keys = Keys::open(yaml, key, Self::LABEL, &allowed, findings)?;
                Some(Self::read(&keys, findings))
            }
        }
    };
    (@kind optional $kind:ty) => { Option<$kind> };
    (@kind list $kind:ty) => { Vec<$kind> };
    (@kind entries $kind:ty) => { $crate::record::Entries<$kind> };
    (@kind request $kind:ty) => { $crate::body::RequestBody };
    (@kind $mode:ident $kind:ty) => { $kind };
    (@keys request $keys:ident, $field:ident, $kind:ty) => {
        $crate::body::add_keys::<$kind>(&mut $keys)
    };
    (@keys $mode:ident $keys:ident, $field:ident, $kind:ty) => {
        $keys.push(stringify!($field))
    };
    (@read request $keys:ident, $field:ident, $kind:ty, $findings:ident) => {
        $crate::body::RequestBody::read::<$kind>($keys, Self::FIELDS, $findings)
    };
    (@read $mode:ident $keys:ident, $field:ident, $kind:ty, $findings:ident) => {
        $keys.$mode(stringify!($field), $findings)
    };
}

/// Declares which values of a table's column a file may have.
macro_rules! words {
    ($($kind:path: $($value:ident)|+;)*) => { $(
        impl $crate::record::FromYaml for $kind {
            fn from_yaml(
                yaml: &$crate::yaml::Yaml,
                key: &str,
                findings: &mut $crate::findings::Findings,
            ) -> Option<Self> {
                let values = [$( Self::$value ),+];
                $crate::scalar::column_value(yaml, key, &values, findings)
            }
        }
    )* };
}

pub(super) use {record, words};
