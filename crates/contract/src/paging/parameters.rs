//! The query parameters of pages.
//!
//! An invalid page number or size is not an error: it is clamped to the nearest
//! valid one, or replaced by the default, as clients are used to.

use std::borrow::Cow;

use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::types::{ParseError, ParseFromParameter, ParseResult, Type};

/// The default of `per_page` (Spec, Limits).
const DEFAULT_PER_PAGE: u64 = 30;
/// The maximum of `per_page` (Spec, Limits).
const MAX_PER_PAGE: u64 = 100;

/// `per_page`, between 1 and 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PerPage(pub u64);

/// `page`, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageNumber(pub u64);

impl PerPage {
    fn read(text: Option<&str>) -> Self {
        match text.and_then(number) {
            Some(asked) if asked > 0 => Self(asked.unsigned_abs().min(MAX_PER_PAGE)),
            _ => Self(DEFAULT_PER_PAGE),
        }
    }
}

impl PageNumber {
    fn read(text: Option<&str>) -> Self {
        match text.and_then(number) {
            Some(asked) if asked > 0 => Self(asked.unsigned_abs()),
            _ => Self(1),
        }
    }
}

/// The number that a text means; the largest one if it has too many digits.
fn number(text: &str) -> Option<i64> {
    let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().or(is_digits.then_some(i64::MAX))
}

/// Implements a query parameter for a type with `read(Option<&str>) -> Self`, which accepts any
/// input. The schema describes the meaningful values. A schema with a name becomes a component,
/// and generated clients use its name.
macro_rules! lenient_parameter {
    ($type:ident, $schema:expr) => {
        lenient_parameter!(@ $type, {
            fn schema_ref() -> MetaSchemaRef {
                MetaSchemaRef::Inline(Box::new($schema))
            }
        });
    };
    ($type:ident, $name:literal, $schema:expr) => {
        lenient_parameter!(@ $type, {
            fn schema_ref() -> MetaSchemaRef {
                MetaSchemaRef::Reference($name.to_owned())
            }

            fn register(registry: &mut poem_openapi::registry::Registry) {
                registry.create_schema::<Self, _>($name.to_owned(), |_| $schema);
            }
        });
    };
    (@ $type:ident, { $($schema:item)* }) => {
        impl Type for $type {
            const IS_REQUIRED: bool = false;
            type RawValueType = Self;
            type RawElementValueType = Self;

            fn name() -> Cow<'static, str> {
                stringify!($type).into()
            }

            $($schema)*

            fn as_raw_value(&self) -> Option<&Self> {
                Some(self)
            }

            fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
                Box::new(std::iter::once(self))
            }
        }

        impl ParseFromParameter for $type {
            fn parse_from_parameter(value: &str) -> ParseResult<Self> {
                Ok(Self::read(Some(value)))
            }

            fn parse_from_parameters<I: IntoIterator<Item = A>, A: AsRef<str>>(
                values: I,
            ) -> ParseResult<Self> {
                let last = values.into_iter().last();
                Ok(Self::read(last.as_ref().map(AsRef::as_ref)))
            }
        }
    };
}

pub(in super::super) use lenient_parameter;

lenient_parameter!(
    PerPage,
    MetaSchema {
        minimum: Some(1.0),
        maximum: Some(MAX_PER_PAGE as f64),
        default: Some(DEFAULT_PER_PAGE.into()),
        ..MetaSchema::new("integer")
    }
);
lenient_parameter!(
    PageNumber,
    MetaSchema {
        minimum: Some(1.0),
        default: Some(1.into()),
        ..MetaSchema::new("integer")
    }
);

/// An optional query parameter. An empty value, `?since=`, counts as absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionalParameter<T>(pub Option<T>);

impl<T: Type> Type for OptionalParameter<T> {
    const IS_REQUIRED: bool = false;
    type RawValueType = T::RawValueType;
    type RawElementValueType = T::RawElementValueType;

    fn name() -> Cow<'static, str> {
        Option::<T>::name()
    }

    fn schema_ref() -> MetaSchemaRef {
        T::schema_ref()
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }

    fn as_raw_value(&self) -> Option<&Self::RawValueType> {
        self.0.as_raw_value()
    }

    fn raw_element_iter<'a>(
        &'a self,
    ) -> Box<dyn Iterator<Item = &'a Self::RawElementValueType> + 'a> {
        self.0.raw_element_iter()
    }
}

impl<T: ParseFromParameter> ParseFromParameter for OptionalParameter<T> {
    fn parse_from_parameter(value: &str) -> ParseResult<Self> {
        Self::parse_from_parameters([value])
    }

    fn parse_from_parameters<I: IntoIterator<Item = A>, A: AsRef<str>>(
        values: I,
    ) -> ParseResult<Self> {
        let filled = values
            .into_iter()
            .filter(|value| !value.as_ref().is_empty());
        Option::parse_from_parameters(filled)
            .map(Self)
            .map_err(ParseError::propagate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_numbers_out_of_range_are_clamped() {
        const LARGEST: u64 = i64::MAX as u64;
        for (text, size) in [
            ("0", 30),
            ("-1", 30),
            ("x", 30),
            ("", 30),
            ("101", 100),
            ("7", 7),
            ("9223372036854775808", 100),
            ("99999999999999999999", 100),
            ("99999999999999999999x", 30),
            ("-99999999999999999999", 30),
        ] {
            assert_eq!(PerPage::read(Some(text)).0, size, "{text}");
        }
        for (text, number) in [
            ("0", 1),
            ("-4", 1),
            ("x", 1),
            ("7", 7),
            ("9223372036854775807", LARGEST),
            ("9223372036854775808", LARGEST),
            ("99999999999999999999", LARGEST),
            ("-99999999999999999999", 1),
        ] {
            assert_eq!(PageNumber::read(Some(text)).0, number, "{text}");
        }
        assert_eq!(PageNumber::read(None).0, 1);
    }
}
