//! Freezing, setting and moving the clock of a world.

use async_trait::async_trait;

use super::Control;
use contract::body::Body;
use contract::control::ControlCall;
use contract::control::clock::{Operations, UpdateClock, WorldClock};
use contract::problem::{FieldProblem, Problem};
use contract::reply::{Outcome, Reply};
use storage::clock::{ClockState, OutOfRange};

const RESOURCE: &str = "Clock";

#[async_trait]
impl Operations for Control {
    async fn get_clock(&self, _: ControlCall, world: String) -> Outcome<Reply<200, WorldClock>> {
        let (_, tools) = self.tools(&world)?;
        Ok(view(tools.clock.state()))
    }

    async fn update_clock(
        &self,
        _: ControlCall,
        world: String,
        body: Body<UpdateClock>,
    ) -> Outcome<Reply<200, WorldClock>> {
        let (world, tools) = self.tools(&world)?;
        let body = body.validated()?;
        if body.now.is_some() && body.advance.is_some() {
            let message = "Give either now or advance, not both";
            return Err(FieldProblem::custom(RESOURCE, "advance", message).into());
        }
        let changed = tools.clock.change(|before| new_time(&body, before));
        let state = changed.map_err(|OutOfRange| out_of_range(&body))?;
        // Deliveries that are due now must not wait for the dispatcher's next poll.
        world.app.outbox.wake();
        Ok(view(state))
    }

    async fn release_clock(
        &self,
        _: ControlCall,
        world: String,
    ) -> Outcome<Reply<200, WorldClock>> {
        let (world, tools) = self.tools(&world)?;
        let state = tools.clock.release();
        world.app.outbox.wake();
        Ok(view(state))
    }
}

fn new_time(body: &UpdateClock, before: ClockState) -> (Option<i64>, bool) {
    let now = match (body.now, body.advance) {
        (Some(now), _) => Some(now.0),
        (None, Some(seconds)) => before.now.0.checked_add(seconds),
        (None, None) => Some(before.now.0),
    };
    (now, body.frozen.unwrap_or(before.frozen))
}

fn out_of_range(body: &UpdateClock) -> Problem {
    let field = match body.now {
        Some(_) => "now",
        None => "advance",
    };
    let message = "The time must be between 1970 and 9999";
    FieldProblem::custom(RESOURCE, field, message).into()
}

fn view(state: ClockState) -> Reply<200, WorldClock> {
    Reply::new(WorldClock {
        now: state.now,
        frozen: state.frozen,
        offset: state.offset,
    })
}
