//! The requested place of a comment. The specification has one body for four kinds of
//! comments; here each has its own shape.

use contract::problem::Problem;
use contract::reply::Outcome;
use contract::review_comments::{CreateReviewComment, Side, StartSide, SubjectType};

/// The requested place of a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placement {
    /// In the thread of another comment.
    Reply(i64),
    /// On a file of the diff up to a commit.
    InDiff {
        commit: String,
        path: String,
        place: Place,
    },
}

/// A place in the diff of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    File,
    Line {
        side: Side,
        line: i64,
        /// The first of several lines.
        start: Option<(Side, i64)>,
    },
    /// Counted down the diff of the file.
    Position(i64),
}

impl Placement {
    /// Parses the placement of a body (Spec, Create body).
    pub fn of(body: &CreateReviewComment) -> Outcome<Self> {
        if let Some(comment) = body.in_reply_to {
            return Ok(Self::Reply(comment));
        }
        let (Some(commit), Some(path)) = (body.commit_id.clone(), body.path.clone()) else {
            let required = [
                ("commit_id", body.commit_id.is_some()),
                ("path", body.path.is_some()),
            ];
            return Err(missing(&required));
        };
        let place = Place::of(body)?;
        Ok(Self::InDiff {
            commit,
            path,
            place,
        })
    }
}

impl Place {
    /// A line takes precedence over a position, which is deprecated.
    fn of(body: &CreateReviewComment) -> Outcome<Self> {
        match (body.subject_type, body.line, body.position) {
            (Some(SubjectType::File), ..) => Ok(Self::File),
            (_, Some(line), _) => {
                let side = body.side.unwrap_or(Side::Right);
                let start = start(body, side)?;
                Ok(Self::Line { side, line, start })
            }
            (_, None, Some(position)) => Ok(Self::Position(position)),
            (Some(SubjectType::Line), None, None) => Err(missing(&[("line", false)])),
            (None, None, None) => Err(no_placement()),
        }
    }
}

/// The first of several lines. It needs both its line and its side.
fn start(body: &CreateReviewComment, side: Side) -> Outcome<Option<(Side, i64)>> {
    match (body.start_line, body.start_side) {
        (None, None) => Ok(None),
        (Some(line), Some(start)) => Ok(Some((
            match start {
                StartSide::Left => Side::Left,
                StartSide::Right => Side::Right,
                StartSide::Side => side,
            },
            line,
        ))),
        (line, side) => Err(missing(&[
            ("start_line", line.is_some()),
            ("start_side", side.is_some()),
        ])),
    }
}

/// The error for required keys that are absent.
fn missing(required: &[(&str, bool)]) -> Problem {
    let absent: Vec<String> = required
        .iter()
        .filter(|(_, present)| !present)
        .map(|(name, _)| format!("\"{name}\""))
        .collect();
    let verb = if absent.len() == 1 {
        "wasn't"
    } else {
        "weren't"
    };
    Problem::Malformed(vec![format!("{} {verb} supplied.", absent.join(", "))])
}

/// The error for a body without any placement.
fn no_placement() -> Problem {
    let mut sentences = vec!["No subschema in \"oneOf\" matched.".to_owned()];
    for name in [
        "positioning",
        "position",
        "in_reply_to",
        "line",
        "subject_type",
    ] {
        sentences.push(format!("\"{name}\" wasn't supplied."));
    }
    Problem::Malformed(sentences)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use contract::body::read;

    fn placed(body: Value) -> Result<Place, String> {
        let body = read(body).unwrap();
        match Placement::of(&body) {
            Ok(Placement::InDiff { place, .. }) => Ok(place),
            Ok(reply) => panic!("{reply:?}"),
            Err(problem) => Err(problem.message().into_owned()),
        }
    }

    fn refused(body: Value) -> String {
        placed(body).unwrap_err()
    }

    #[test]
    fn the_side_is_right_by_default() {
        let placed = placed(json!({"body": "x", "commit_id": "c", "path": "p", "line": 2}));
        let Ok(Place::Line { side, start, .. }) = placed else {
            panic!("{placed:?}")
        };
        assert_eq!((side, start), (Side::Right, None));
    }

    #[test]
    fn the_start_may_be_on_the_same_side() {
        let body = json!({"body": "x", "commit_id": "c", "path": "p", "line": 3, "side": "LEFT",
            "start_line": 1, "start_side": "side"});
        let Ok(Place::Line { start, .. }) = placed(body) else {
            panic!()
        };
        assert_eq!(start, Some((Side::Left, 1)));
    }

    #[test]
    fn a_file_and_a_line_take_precedence_over_a_position() {
        let body = json!({"body": "x", "commit_id": "c", "path": "p", "line": 3, "position": 1});
        assert!(matches!(placed(body), Ok(Place::Line { .. })));
        let body = json!({"body": "x", "commit_id": "c", "path": "p", "position": 1,
            "subject_type": "file"});
        assert!(matches!(placed(body), Ok(Place::File)));
    }

    #[test]
    fn the_error_lists_missing_keys() {
        assert_eq!(
            refused(json!({"body": "x", "line": 1})),
            "Invalid request.\n\n\"commit_id\", \"path\" weren't supplied."
        );
        assert_eq!(
            refused(
                json!({"body": "x", "commit_id": "c", "path": "p", "line": 1, "start_line": 1})
            ),
            "Invalid request.\n\n\"start_side\" wasn't supplied."
        );
        assert_eq!(
            refused(json!({"body": "x", "commit_id": "c", "path": "p", "subject_type": "line"})),
            "Invalid request.\n\n\"line\" wasn't supplied."
        );
        assert!(
            refused(json!({"body": "x", "commit_id": "c", "path": "p"}))
                .starts_with("Invalid request.\n\nNo subschema in \"oneOf\" matched.\n")
        );
    }
}
