//! Connection slots: a total limit, and a limit per address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::limits::ConnectionLimits;
use storage::limits::subscriber_network;

pub struct ConnectionSlots {
    all: Arc<Semaphore>,
    clients: u32,
    per_address: u32,
    counts: Arc<ConnectionCounts>,
}

/// The number of connections of each address.
#[derive(Default)]
struct ConnectionCounts(Mutex<HashMap<IpAddr, u32>>);

/// The slot of a connection, released when dropped.
pub struct ConnectionSlot {
    _slot: OwnedSemaphorePermit,
    address: IpAddr,
    counts: Arc<ConnectionCounts>,
}

impl ConnectionSlots {
    pub fn new(limits: &ConnectionLimits) -> Self {
        Self {
            all: Arc::new(Semaphore::new(limits.clients as usize)),
            clients: limits.clients,
            per_address: limits.clients_per_address,
            counts: Arc::default(),
        }
    }

    /// Takes a slot for a connection from this address, if one is free.
    pub fn take(&self, address: IpAddr) -> Option<ConnectionSlot> {
        let most = match address.to_canonical().is_loopback() {
            true => self.clients,
            false => self.per_address,
        };
        let address = subscriber_network(address);
        let slot = self.all.clone().try_acquire_owned().ok()?;
        let mut counts = self.counts.lock();
        let count = counts.entry(address).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(ConnectionSlot {
            _slot: slot,
            address,
            counts: self.counts.clone(),
        })
    }

    /// Waits until every slot is free, or the timeout.
    pub async fn all_free(&self, time_limit: Duration) {
        let _ = tokio::time::timeout(time_limit, self.all.acquire_many(self.clients)).await;
    }
}

impl ConnectionCounts {
    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut counts = self.counts.lock();
        if let Some(count) = counts.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots() -> ConnectionSlots {
        ConnectionSlots::new(&ConnectionLimits::for_clients(8, 0.25))
    }

    fn take(slots: &ConnectionSlots, address: &str) -> Option<ConnectionSlot> {
        slots.take(address.parse().unwrap())
    }

    #[test]
    fn one_address_holds_its_share_and_others_find_a_slot() {
        let slots = slots();
        let first = take(&slots, "192.0.2.1").unwrap();
        let _second = take(&slots, "::ffff:192.0.2.1").unwrap();
        assert!(take(&slots, "192.0.2.1").is_none());
        let _other = take(&slots, "192.0.2.2").unwrap();
        drop(first);
        assert!(take(&slots, "192.0.2.1").is_some());
    }

    #[test]
    fn the_addresses_of_one_network_share_its_slots() {
        let slots = slots();
        let _held = ["2001:db8::1", "2001:db8::2"].map(|address| take(&slots, address).unwrap());
        assert!(take(&slots, "2001:db8::3").is_none());
        assert!(take(&slots, "2001:db8:0:1::3").is_some());
    }

    #[test]
    fn this_machine_may_hold_them_all_and_no_more() {
        for address in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
            let slots = slots();
            let held: Vec<_> = (0..8).map(|_| take(&slots, address).unwrap()).collect();
            assert!(take(&slots, address).is_none());
            assert!(take(&slots, "192.0.2.1").is_none());
            drop(held);
            assert!(slots.counts.lock().is_empty());
        }
    }
}
