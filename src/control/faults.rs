//! Rules for injected faults.

use std::time::Duration;

use async_trait::async_trait;

use super::Control;
use contract::body::Body;
use contract::control::ControlCall;
use contract::control::faults::{CreateFault, Fault, FaultEffect, Operations};
use contract::problem::{FieldProblem, Problem};
use contract::reply::{Empty, Outcome, Reply};
use forge::faults::{Condition, FaultRule, Frequency, InjectedFault, MOST_RULES, TooMany};
use forge::journal::catalogue::operation_named;

const RESOURCE: &str = "Fault";

/// The seconds of a secondary limit, and of a budget, where none are given.
const RETRY_AFTER: i64 = 60;
const RESET_AFTER: i64 = 3600;

#[async_trait]
impl Operations for Control {
    async fn list_faults(&self, _: ControlCall, world: String) -> Outcome<Reply<200, Vec<Fault>>> {
        let (_, tools) = self.tools(&world)?;
        let rules = tools.faults.all();
        Ok(Reply::new(rules.iter().map(|rule| view(rule)).collect()))
    }

    async fn create_fault(
        &self,
        _: ControlCall,
        world: String,
        body: Body<CreateFault>,
    ) -> Outcome<Reply<201, Fault>> {
        let (world, tools) = self.tools(&world)?;
        let body = body.validated()?;
        let problems = violations(&body);
        if !problems.is_empty() {
            return Err(Problem::Invalid(problems));
        }
        let condition = condition(&body)?;
        let frequency = Frequency {
            probability: body.probability.unwrap_or(1.0),
            skip: body.skip.unwrap_or_default(),
            times: body.times,
        };
        let now = world.app.clock.now();
        let added = tools.faults.add(condition, frequency, fault(body), now);
        let rule = added.map_err(|TooMany| {
            Problem::Refused(format!("A world has at most {MOST_RULES} faults").into())
        })?;
        Ok(Reply::new(view(&rule)))
    }

    async fn delete_faults(&self, _: ControlCall, world: String) -> Outcome<Empty> {
        let (_, tools) = self.tools(&world)?;
        tools.faults.clear();
        Ok(Empty)
    }

    async fn get_fault(
        &self,
        _: ControlCall,
        world: String,
        fault_id: i64,
    ) -> Outcome<Reply<200, Fault>> {
        let (_, tools) = self.tools(&world)?;
        let rule = tools.faults.get(fault_id).ok_or_else(absent)?;
        Ok(Reply::new(view(&rule)))
    }

    async fn delete_fault(&self, _: ControlCall, world: String, fault_id: i64) -> Outcome<Empty> {
        let (_, tools) = self.tools(&world)?;
        match tools.faults.remove(fault_id) {
            true => Ok(Empty),
            false => Err(absent()),
        }
    }
}

fn absent() -> Problem {
    Problem::Absent("There is no such fault".into())
}

/// The fields of a rule that do not fit its effect.
fn violations(body: &CreateFault) -> Vec<FieldProblem> {
    use FaultEffect::{Latency, PrimaryLimit, SecondaryLimit, Status};
    let CreateFault { effect, status, .. } = *body;
    let limits = matches!(effect, PrimaryLimit | SecondaryLimit);
    let retries = matches!(effect, Status | SecondaryLimit);
    let other = status.is_some_and(|status| ![403, 429].contains(&status));
    let early = body.after == Some(false) && needs_response(effect);
    #[rustfmt::skip]
    let rules = [
        (effect == Status && status.is_none(), "status", "This effect requires a status"),
        (limits && other, "status", "The status of a limit must be 403 or 429"),
        (status.is_some() && !limits && effect != Status, "status", "This effect does not take a status"),
        (body.message.is_some() && effect != Status, "message", "Only the effect 'status' takes a message"),
        (body.retry_after.is_some() && !retries, "retry_after", "Only the effects 'status' and 'secondary_limit' take retry_after"),
        (body.reset_after.is_some() && effect != PrimaryLimit, "reset_after", "Only the effect 'primary_limit' takes reset_after"),
        (body.latency_ms.is_none() && effect == Latency, "latency_ms", "This effect requires latency_ms"),
        (body.probability == Some(0.0), "probability", "probability must be greater than 0"),
        (early, "after", "This effect modifies the response, so after cannot be false"),
    ];
    let broken = rules.into_iter().filter(|(broken, _, _)| *broken);
    broken
        .map(|(_, field, message)| FieldProblem::custom(RESOURCE, field, message))
        .collect()
}

/// Whether an effect needs the response that it modifies.
fn needs_response(effect: FaultEffect) -> bool {
    use FaultEffect::{Latency, Malformed, Truncate};
    matches!(effect, Latency | Truncate | Malformed)
}

fn condition(body: &CreateFault) -> Outcome<Condition> {
    let operation = body.operation.as_deref().map(find_operation).transpose()?;
    Ok(Condition {
        operation,
        method: body.method,
        path: body.path.clone(),
        caller: body.caller.clone(),
    })
}

fn find_operation(id: &str) -> Outcome<&'static str> {
    let operation = operation_named(id);
    operation
        .map(|operation| operation.id)
        .map_err(|message| FieldProblem::custom(RESOURCE, "operation", message).into())
}

fn fault(body: CreateFault) -> InjectedFault {
    use FaultEffect::{PrimaryLimit, SecondaryLimit};
    let effect = body.effect;
    let retry_after = match effect {
        SecondaryLimit => Some(body.retry_after.unwrap_or(RETRY_AFTER)),
        _ => body.retry_after,
    };
    let limited = matches!(effect, PrimaryLimit | SecondaryLimit);
    let status = body.status.or(limited.then_some(403));
    InjectedFault {
        effect,
        status: status.and_then(|status| u16::try_from(status).ok()),
        message: body.message,
        retry_after: retry_after.map(i64::unsigned_abs),
        reset_after: (effect == PrimaryLimit).then(|| body.reset_after.unwrap_or(RESET_AFTER)),
        latency: Duration::from_millis(body.latency_ms.unwrap_or_default().unsigned_abs()),
        after: body.after.unwrap_or_default() || needs_response(effect),
    }
}

fn view(rule: &FaultRule) -> Fault {
    let (condition, fault) = (&rule.condition, &rule.fault);
    Fault {
        id: rule.id,
        operation: condition.operation.map(str::to_owned).into(),
        method: condition.method.into(),
        path: condition.path.clone().into(),
        caller: condition.caller.clone().into(),
        probability: rule.frequency.probability,
        skip: rule.frequency.skip,
        times: rule.frequency.times.into(),
        effect: fault.effect,
        status: fault.status.map(i64::from).into(),
        message: fault.message.clone().into(),
        retry_after: fault.retry_after.map(u64::cast_signed).into(),
        reset_after: fault.reset_after.into(),
        latency_ms: i64::try_from(fault.latency.as_millis()).unwrap_or(i64::MAX),
        after: fault.after,
        matched: rule.matched(),
        used: rule.used(),
        last_used_at: rule.last_used_at().into(),
        created_at: rule.created_at,
    }
}
