//! Draws steps: every change comes up once before any comes up again, and two changes
//! may be under way at a time, so that their steps mix.

use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use super::changes::{Change, OF_ONE_DATABASE, OPERATIONS};
use super::statements::{ACCOUNTS, APPS, FIELDS, REPOSITORIES};

const AT_A_TIME: usize = 2;

pub struct Deck {
    changes: Vec<Change>,
    left: Vec<Change>,
    under_way: Vec<Progress>,
}

struct Progress {
    change: Change,
    next: usize,
    /// What a request of this change has created.
    id: Option<i64>,
}

pub struct Step {
    pub change: Change,
    pub text: String,
}

impl Deck {
    pub fn new(is_postgres: bool) -> Self {
        let of_one = OF_ONE_DATABASE[usize::from(is_postgres)];
        let changes: [&[Change]; 6] = [
            &OPERATIONS,
            &ACCOUNTS,
            &REPOSITORIES,
            &FIELDS,
            &APPS,
            of_one,
        ];
        Self {
            changes: changes.concat(),
            left: Vec::new(),
            under_way: Vec::new(),
        }
    }

    pub fn draw(&mut self, random: &mut StdRng) -> Step {
        if self.left.is_empty() {
            self.left.clone_from(&self.changes);
            self.left.shuffle(random);
        }
        let may_begin = self.under_way.len() < AT_A_TIME && random.random_ratio(1, 3);
        if (may_begin || self.under_way.is_empty())
            && let Some(change) = self.left.pop()
        {
            self.under_way.push(Progress {
                change,
                next: 0,
                id: None,
            });
        }
        // A world is refused while names are changed, so loading it comes last.
        let loads = |progress: &Progress| progress.change[progress.next].starts_with("load ");
        self.under_way.sort_by_key(loads);
        let ready = self.under_way.iter().filter(|progress| !loads(progress));
        let which = random.random_range(0..ready.count().max(1));
        self.advance(which)
    }

    fn advance(&mut self, which: usize) -> Step {
        let progress = &mut self.under_way[which];
        let id = progress.id.unwrap_or_default().to_string();
        let step = Step {
            change: progress.change,
            text: progress.change[progress.next].replace("{id}", &id),
        };
        progress.next += 1;
        if progress.next == progress.change.len() {
            self.under_way.remove(which);
        }
        step
    }

    /// Notes the id of what a step has created, for the later steps of its change.
    pub fn created(&mut self, change: Change, id: Option<i64>) {
        let mut under_way = self.under_way.iter_mut();
        if let Some(progress) = under_way.find(|progress| std::ptr::eq(progress.change, change)) {
            progress.id = progress.id.or(id);
        }
    }
}
