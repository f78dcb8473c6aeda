//! Connections to other servers: which addresses they may reach, which authorities they trust,
//! and one exchange over a new connection.

pub mod address;
mod exchange;
mod trust;

pub use exchange::{StreamingResponse, exchange};
pub use trust::Trust;
