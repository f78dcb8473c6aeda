//! Iterations as spans of days.

use time::Duration;

use contract::values::Day;

/// The first day after a span of days; none if it is past the calendar's end.
pub fn day_after(start: Day, duration: i64) -> Option<Day> {
    let seconds = duration.checked_mul(24 * 60 * 60)?;
    start.0.checked_add(Duration::seconds(seconds)).map(Day)
}

/// Whether the last day of a span is past.
pub fn is_completed(start: Day, duration: i64, today: Day) -> bool {
    day_after(start, duration).is_some_and(|end| end <= today)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Day {
        Day::parse(text).unwrap()
    }

    #[test]
    fn an_iteration_is_completed_on_the_day_after_its_last() {
        let start = day("2026-02-25");
        assert!(!is_completed(start, 7, day("2026-03-03")));
        assert!(is_completed(start, 7, day("2026-03-04")));
        assert!(!is_completed(start, 7, day("2026-02-01")));
    }

    #[test]
    fn a_span_past_the_end_of_the_calendar_has_no_end() {
        assert_eq!(day_after(day("9999-12-31"), 1), None);
        assert_eq!(day_after(day("2026-01-01"), i64::MAX), None);
        assert_eq!(day_after(day("9999-12-30"), 1), Some(day("9999-12-31")));
    }
}
