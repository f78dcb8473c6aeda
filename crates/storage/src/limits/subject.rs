//! The subjects of rate limits.

use std::fmt;
use std::net::IpAddr;

use contract::caller::Caller;

/// The owner of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    Address(Option<IpAddr>),
    /// Anonymous callers on loopback.
    Loopback,
    /// Failed logins from an address.
    FailedLogins(Option<IpAddr>),
    User(i64),
    Installation(i64),
}

impl Subject {
    /// Apps that sign their own requests are not limited.
    pub fn of(caller: &Caller, address: Option<IpAddr>) -> Option<Self> {
        match caller {
            Caller::App { .. } => None,
            Caller::Installation { installation, .. } => Some(Self::Installation(*installation)),
            caller => Some(match caller.user() {
                Some(user) => Self::User(user.id),
                None => Self::anonymous(address),
            }),
        }
    }

    /// Callers at an address, before they are identified and if they never are.
    pub fn anonymous(address: Option<IpAddr>) -> Self {
        match address {
            Some(address) if address.to_canonical().is_loopback() => Self::Loopback,
            address => Self::Address(address.map(subscriber_network)),
        }
    }

    /// The failed logins of an address.
    pub fn failed_logins(address: Option<IpAddr>) -> Self {
        Self::FailedLogins(address.map(subscriber_network))
    }

    /// Whether it is an authenticated caller, not just an address.
    pub fn is_known(self) -> bool {
        matches!(self, Self::User(_) | Self::Installation(_))
    }

    /// Its key in the ledger.
    pub(super) fn name(self) -> String {
        match self {
            Self::Address(Some(address)) => format!("address {address}"),
            Self::Address(None) => "address".to_owned(),
            Self::Loopback => "loopback".to_owned(),
            Self::FailedLogins(Some(address)) => format!("logins {address}"),
            Self::FailedLogins(None) => "logins".to_owned(),
            Self::User(id) => format!("user {id}"),
            Self::Installation(id) => format!("installation {id}"),
        }
    }
}

/// The smallest network of one subscriber. For IPv6 that is a /64: a subscriber can use any
/// address in it.
pub fn subscriber_network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(ip) => IpAddr::V6((ip.to_bits() & !u128::from(u64::MAX)).into()),
        v4 => v4,
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(Some(address)) => write!(f, "{address}"),
            Self::Loopback => f.write_str("127.0.0.1"),
            Self::Address(None) | Self::FailedLogins(_) => f.write_str("this address"),
            Self::User(id) => write!(f, "user ID {id}"),
            Self::Installation(id) => write!(f, "installation ID {id}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subscriber_has_one_budget_however_many_addresses_it_has() {
        let subject = |text: &str| Subject::of(&Caller::Anonymous, text.parse().ok());
        assert_eq!(subject("2001:db8:1:2::1"), subject("2001:db8:1:2:3:4:5:6"));
        assert_ne!(subject("2001:db8:1:2::1"), subject("2001:db8:1:3::1"));
        assert_eq!(subject("10.0.0.1"), subject("::ffff:10.0.0.1"));
        assert_ne!(subject("10.0.0.1"), subject("10.0.0.2"));
    }

    #[test]
    fn every_address_of_this_machine_is_the_same_subject() {
        for text in ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"] {
            let subject = Subject::of(&Caller::Anonymous, text.parse().ok());
            assert_eq!(subject, Some(Subject::Loopback), "{text}");
        }
    }
}
