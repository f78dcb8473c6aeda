//! Randomness. Tokens, keys and the short ids of options are drawn from a source
//! that was handed in: the operating system's in service, a seeded one in tests.

use std::sync::Mutex;

use rand::rngs::{OsRng, StdRng};
use rand::{RngCore, SeedableRng, TryRngCore};

/// A source of random bytes.
pub trait Entropy: Send + Sync {
    fn fill(&self, bytes: &mut [u8]);

    /// An id of eight lower-case hexadecimal digits, as options and iterations have.
    fn short_id(&self) -> String {
        let mut bytes = [0; 4];
        self.fill(&mut bytes);
        hex::encode(bytes)
    }
}

/// The operating system's cryptographic source.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        // The operating system's source fails only where nothing else works
        // either; guessable tokens would be worse than stopping.
        if let Err(cause) = OsRng.try_fill_bytes(bytes) {
            tracing::error!(%cause, "the system has no randomness to give");
            std::process::abort();
        }
    }
}

/// The same bytes in every run. For tests only.
#[derive(Debug)]
pub struct SeededEntropy(Mutex<StdRng>);

impl SeededEntropy {
    pub fn new(seed: u64) -> Self {
        Self(Mutex::new(StdRng::seed_from_u64(seed)))
    }
}

impl Entropy for SeededEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        let mut rng = self
            .0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        rng.fill_bytes(bytes);
    }
}
