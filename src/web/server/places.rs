//! Who holds a connection: so many in all, and so many of them from one address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::limits::Limits;
use crate::limits::household;

pub struct Places {
    all: Arc<Semaphore>,
    clients: u32,
    per_address: u32,
    held: Arc<Held>,
}

/// The connections of each address that has any.
#[derive(Default)]
struct Held(Mutex<HashMap<IpAddr, u32>>);

/// A connection's place, free again when it is dropped.
pub struct ClientSlot {
    _place: OwnedSemaphorePermit,
    address: IpAddr,
    held: Arc<Held>,
}

impl Places {
    pub fn new(limits: &Limits) -> Self {
        Self {
            all: Arc::new(Semaphore::new(limits.clients as usize)),
            clients: limits.clients,
            per_address: limits.clients_per_address,
            held: Arc::default(),
        }
    }

    /// A place for a connection from this address, if there is one.
    pub fn take(&self, address: IpAddr) -> Option<ClientSlot> {
        let most = match address.to_canonical().is_loopback() {
            true => self.clients,
            false => self.per_address,
        };
        let address = household(address);
        let place = self.all.clone().try_acquire_owned().ok()?;
        let mut held = self.held.lock();
        let count = held.entry(address).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(ClientSlot {
            _place: place,
            address,
            held: self.held.clone(),
        })
    }

    /// Waits until every place is free, but not longer than this.
    pub async fn all_free(&self, patience: Duration) {
        let _ = tokio::time::timeout(patience, self.all.acquire_many(self.clients)).await;
    }
}

impl Held {
    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ClientSlot {
    fn drop(&mut self) {
        let mut held = self.held.lock();
        if let Some(count) = held.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                held.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> Places {
        Places::new(&Limits::for_clients(8, 0.25))
    }

    fn take(places: &Places, address: &str) -> Option<ClientSlot> {
        places.take(address.parse().unwrap())
    }

    #[test]
    fn one_address_holds_its_share_and_others_find_a_place() {
        let places = places();
        let first = take(&places, "192.0.2.1").unwrap();
        let _second = take(&places, "::ffff:192.0.2.1").unwrap();
        assert!(take(&places, "192.0.2.1").is_none());
        let _other = take(&places, "192.0.2.2").unwrap();
        drop(first);
        assert!(take(&places, "192.0.2.1").is_some());
    }

    #[test]
    fn the_addresses_of_one_network_share_its_places() {
        let places = places();
        let _held = ["2001:db8::1", "2001:db8::2"].map(|address| take(&places, address).unwrap());
        assert!(take(&places, "2001:db8::3").is_none());
        assert!(take(&places, "2001:db8:0:1::3").is_some());
    }

    #[test]
    fn this_machine_may_hold_them_all_and_no_more() {
        for address in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
            let places = places();
            let held: Vec<_> = (0..8).map(|_| take(&places, address).unwrap()).collect();
            assert!(take(&places, address).is_none());
            assert!(take(&places, "192.0.2.1").is_none());
            drop(held);
            assert!(places.held.lock().is_empty());
        }
    }
}
