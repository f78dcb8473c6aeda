//! Creates, lists and removes worlds, and lists their contents.

use async_trait::async_trait;

use super::{Control, finished, named_world};
use crate::worlds::{MAIN, MakeError, ServedWorld, WorldOrigin, known_contents};
use contract::body::Body;
use contract::control::worlds::{CreateWorld, NewWorld, Operations, WorldContents, WorldInfo};
use contract::control::{ControlCall, WORLDS_PATH};
use contract::paging::Page;
use contract::problem::{FieldProblem, Problem};
use contract::reply::{Empty, Outcome, Reply};
use contract::values::Url;
use world::load::LoadError;

#[async_trait]
impl Operations for Control {
    async fn list_worlds(&self, call: ControlCall) -> Outcome<Reply<200, Vec<WorldInfo>>> {
        let worlds = self.worlds.all();
        Ok(Reply::new(
            worlds.iter().map(|world| view(&call, world)).collect(),
        ))
    }

    async fn create_world(
        &self,
        call: ControlCall,
        body: Body<CreateWorld>,
    ) -> Outcome<Reply<201, NewWorld>> {
        let body = body.validated()?;
        let origin = self.origin(&body)?;
        let from_file = matches!(origin, WorldOrigin::File(_));
        let worlds = self.worlds.clone();
        let created = finished(async move { worlds.make(body.name, origin).await }).await?;
        let (world, summary) = created.map_err(|error| refusal(error, from_file))?;
        let WorldInfo {
            name,
            url,
            created_at,
        } = view(&call, &world);
        let location = url.0.clone();
        let world = NewWorld {
            name,
            url,
            created_at,
            tokens: summary.tokens,
            apps: summary.apps,
        };
        Ok(Reply::new(world).location(location))
    }

    async fn get_world(&self, call: ControlCall, world: String) -> Outcome<Reply<200, WorldInfo>> {
        let world = named_world(&self.worlds, &world)?;
        Ok(Reply::new(view(&call, &world)))
    }

    async fn delete_world(&self, _: ControlCall, world: String) -> Outcome<Empty> {
        if world == MAIN {
            return Err(Problem::Refused("The world main cannot be deleted".into()));
        }
        named_world(&self.worlds, &world)?;
        if let Some(world) = self.worlds.remove(&world) {
            finished(async move { world.end().await }).await?;
        }
        Ok(Empty)
    }

    async fn get_world_contents(
        &self,
        _: ControlCall,
        world: String,
        page: Page,
    ) -> Outcome<Reply<200, WorldContents>> {
        let world = named_world(&self.worlds, &world)?;
        let (db, now) = (&world.app.db, world.app.clock.now().0);
        let page = (page.skipped(), page.per_page);
        let contents = known_contents(db, &world.known, page, now).await?;
        Ok(Reply::new(contents))
    }
}

impl Control {
    fn origin(&self, body: &CreateWorld) -> Outcome<WorldOrigin> {
        let template = body.template.as_deref();
        match (template, &body.file, &body.copy_of) {
            (None | Some("demo"), None, None) => Ok(WorldOrigin::Demo),
            (Some("empty"), None, None) => Ok(WorldOrigin::Empty),
            (Some("main"), None, None) => Ok(WorldOrigin::Main),
            (Some(_), None, None) => {
                let reason = "expected `demo`, `empty` or `main`";
                Err(invalid("template", reason))
            }
            (None, Some(text), None) => Ok(WorldOrigin::File(text.clone())),
            (None, None, Some(name)) => match self.worlds.get(name) {
                Some(world) => Ok(WorldOrigin::Copy(world)),
                None => Err(invalid("copy_of", "there is no world with this name")),
            },
            _ => Err(Problem::Refused(
                "Give at most one of template, file and copy_of".into(),
            )),
        }
    }
}

fn invalid(field: &str, reason: &str) -> Problem {
    Problem::Invalid(vec![FieldProblem::invalid("World", field).because(reason)])
}

/// `from_file`: the world came with the request, so its findings are returned.
fn refusal(error: MakeError, from_file: bool) -> Problem {
    let reason = error.to_string();
    match error {
        MakeError::Name => invalid("name", &reason),
        MakeError::Taken => {
            let duplicate = FieldProblem::taken("World", "name").because(reason);
            Problem::Invalid(vec![duplicate])
        }
        MakeError::TooMany(_) => Problem::Refused(format!("Too many worlds: {reason}").into()),
        MakeError::NothingLoaded => invalid("template", &reason),
        MakeError::Load(LoadError::Findings(_)) if from_file => {
            Problem::Invalid(vec![FieldProblem::custom("World", "file", reason)])
        }
        MakeError::Load(LoadError::Database(error)) | MakeError::Database(error) => error.into(),
        other => Problem::Unavailable(other.into()),
    }
}

fn view(call: &ControlCall, world: &ServedWorld) -> WorldInfo {
    let origin = &call.origin;
    let url = match world.name.as_str() {
        MAIN => origin.to_string(),
        name => format!("{origin}{WORLDS_PATH}/{name}"),
    };
    WorldInfo {
        name: world.name.clone(),
        url: Url(url),
        created_at: world.created_at,
    }
}
