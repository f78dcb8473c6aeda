//! Parsing and formatting of timestamps and dates.

use contract::values::{Day, Timestamp};

use super::text;

/// Formatting and parsing a value again gives the same value.
pub fn moments(data: &[u8]) {
    let input = text(data);
    if let Some(timestamp) = Timestamp::parse(&input) {
        assert_eq!(Timestamp::parse(&timestamp.to_string()), Some(timestamp));
    }
    if let Some(day) = Day::parse(&input) {
        assert_eq!(day.to_string(), input);
    }
}
