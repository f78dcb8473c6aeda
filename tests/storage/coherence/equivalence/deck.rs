//! Draws steps at random. Every change is drawn once before any is drawn again. Up to two changes
//! are in progress at a time, so that their steps interleave.

use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use super::changes::{Change, DATABASE_SPECIFIC, OPERATIONS};
use super::statements::{ACCOUNTS, APPS, FIELDS, REPOSITORIES};

const MAX_IN_PROGRESS: usize = 2;

pub struct Deck {
    changes: Vec<Change>,
    remaining: Vec<Change>,
    in_progress: Vec<Progress>,
}

struct Progress {
    change: Change,
    next: usize,
    /// The id of the resource that a request of this change created.
    id: Option<i64>,
}

pub struct Step {
    pub change: Change,
    pub text: String,
}

impl Deck {
    pub fn new(is_postgres: bool) -> Self {
        let database_specific = DATABASE_SPECIFIC[usize::from(is_postgres)];
        let changes: [&[Change]; 6] = [
            &OPERATIONS,
            &ACCOUNTS,
            &REPOSITORIES,
            &FIELDS,
            &APPS,
            database_specific,
        ];
        Self {
            changes: changes.concat(),
            remaining: Vec::new(),
            in_progress: Vec::new(),
        }
    }

    pub fn draw(&mut self, random: &mut StdRng) -> Step {
        if self.remaining.is_empty() {
            self.remaining.clone_from(&self.changes);
            self.remaining.shuffle(random);
        }
        let may_begin = self.in_progress.len() < MAX_IN_PROGRESS && random.random_ratio(1, 3);
        if (may_begin || self.in_progress.is_empty())
            && let Some(change) = self.remaining.pop()
        {
            self.in_progress.push(Progress {
                change,
                next: 0,
                id: None,
            });
        }
        // Loading a world fails while names are changed, so that step comes last.
        let loads = |progress: &Progress| progress.change[progress.next].starts_with("load ");
        self.in_progress.sort_by_key(loads);
        let ready = self.in_progress.iter().filter(|progress| !loads(progress));
        let which = random.random_range(0..ready.count().max(1));
        self.advance(which)
    }

    fn advance(&mut self, which: usize) -> Step {
        let progress = &mut self.in_progress[which];
        let id = progress.id.unwrap_or_default().to_string();
        let step = Step {
            change: progress.change,
            text: progress.change[progress.next].replace("{id}", &id),
        };
        progress.next += 1;
        if progress.next == progress.change.len() {
            self.in_progress.remove(which);
        }
        step
    }

    /// Stores the id of a created resource for the later steps of the change.
    pub fn created(&mut self, change: Change, id: Option<i64>) {
        let mut in_progress = self.in_progress.iter_mut();
        if let Some(progress) = in_progress.find(|progress| std::ptr::eq(progress.change, change)) {
            progress.id = progress.id.or(id);
        }
    }
}
