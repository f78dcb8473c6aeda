//! Randomness for tokens, keys and option ids. The source is injected: the operating
//! system's in production, a seeded one in tests.

use std::sync::Mutex;

use rand::rngs::{StdRng, SysRng};
use rand::{Rng, SeedableRng, TryRng};

/// A source of random bytes.
pub trait Entropy: Send + Sync {
    fn fill(&self, bytes: &mut [u8]);

    /// Eight lower-case hexadecimal digits, the id of an option or iteration.
    fn short_id(&self) -> String {
        let mut bytes = [0; 4];
        self.fill(&mut bytes);
        hex::encode(bytes)
    }
}

/// The operating system's cryptographic generator.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        // The operating system's generator practically never fails, and stopping is better
        // than issuing guessable tokens.
        if let Err(cause) = SysRng.try_fill_bytes(bytes) {
            tracing::error!(%cause, "cannot get random bytes from the operating system; aborting");
            std::process::abort();
        }
    }
}

/// A deterministic source. For tests only.
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
