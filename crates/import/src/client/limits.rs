//! Rate limits, as GitHub reports them: how long a client has to wait.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::HeaderMap;

/// The wait that GitHub asks for if a refusal does not say how long.
const UNSAID: Duration = Duration::from_secs(60);

/// How long to wait before the request is sent again; None if it was not refused because of a
/// limit. `message` is that of the refusal.
pub fn wait_after(
    status: StatusCode,
    headers: &HeaderMap,
    message: &str,
    now: i64,
) -> Option<Duration> {
    if !matches!(status.as_u16(), 403 | 429) {
        return None;
    }
    let secondary = message.to_ascii_lowercase().contains("rate limit");
    retry_after(headers)
        .or_else(|| exhausted(headers, now))
        .or_else(|| (secondary || status == StatusCode::TOO_MANY_REQUESTS).then_some(UNSAID))
}

/// How long until the limit is reset, if nothing remains of it.
pub fn exhausted(headers: &HeaderMap, now: i64) -> Option<Duration> {
    if number(headers, "x-ratelimit-remaining")? != 0 {
        return None;
    }
    let reset = number(headers, "x-ratelimit-reset")?;
    // The second that has begun, and one for the difference between the clocks.
    let seconds = reset.saturating_sub(now).saturating_add(1).max(1);
    Some(Duration::from_secs(seconds.unsigned_abs()))
}

/// `Retry-After` in seconds. GitHub sends no dates there.
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = number(headers, "retry-after")?;
    u64::try_from(seconds).ok().map(Duration::from_secs)
}

fn number(headers: &HeaderMap, name: &str) -> Option<i64> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )
        };
        pairs.iter().map(pair).collect()
    }

    fn waits(status: u16, pairs: &[(&'static str, &'static str)], message: &str) -> Option<u64> {
        let status = StatusCode::from_u16(status).unwrap();
        wait_after(status, &headers(pairs), message, 1_000).map(|wait| wait.as_secs())
    }

    #[test]
    fn a_refusal_says_how_long_to_wait() {
        let primary = [
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset", "1060"),
        ];
        assert_eq!(waits(403, &primary, "API rate limit exceeded"), Some(61));
        assert_eq!(waits(429, &[("retry-after", "7")], ""), Some(7));
        let both = [("retry-after", "5"), primary[0], primary[1]];
        assert_eq!(waits(403, &both, ""), Some(5));
        let secondary = "You have exceeded a secondary rate limit";
        assert_eq!(waits(403, &[], secondary), Some(60));
        assert_eq!(waits(429, &[], ""), Some(60));
    }

    #[test]
    fn a_refusal_for_another_reason_is_none() {
        assert_eq!(
            waits(403, &[("x-ratelimit-remaining", "12")], "Forbidden"),
            None
        );
        assert_eq!(waits(404, &[("retry-after", "1")], ""), None);
    }

    #[test]
    fn a_reset_in_the_past_or_far_away_does_not_overflow() {
        for (reset, wait) in [("0", 1), ("-9223372036854775808", 1)] {
            let pairs = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", reset)];
            assert_eq!(waits(403, &pairs, ""), Some(wait));
        }
        let never = [
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset", "9223372036854775807"),
        ];
        assert!(waits(403, &never, "").is_some());
    }
}
