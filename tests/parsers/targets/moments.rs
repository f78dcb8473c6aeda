//! Moments and days, as they are written and read.

use forgewright::contract::values::{Day, Timestamp};

use super::text;

/// What was read is written so that it is read as the same again.
pub fn moments(data: &[u8]) {
    let written = text(data);
    if let Some(moment) = Timestamp::parse(&written) {
        assert_eq!(Timestamp::parse(&moment.to_string()), Some(moment));
    }
    if let Some(day) = Day::parse(&written) {
        assert_eq!(day.to_string(), written);
    }
}
