//! Global node ids: a prefix for the kind, then a MessagePack array of identifying numbers
//! and names, in unpadded base64url. The formats are those that GitHub clients decode.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use storage::entities::account;

/// A component of an id.
enum Part<'a> {
    Number(i64),
    Text(&'a str),
}

use Part::{Number, Text};

fn encode(prefix: &str, parts: &[Part<'_>]) -> String {
    let mut bytes = Vec::new();
    // Writing into a vector cannot fail.
    let _ = rmp::encode::write_array_len(&mut bytes, 1 + u32::try_from(parts.len()).unwrap_or(0));
    let _ = rmp::encode::write_uint(&mut bytes, 0);
    for part in parts {
        match part {
            Number(number) => {
                let _ = rmp::encode::write_uint(&mut bytes, number.unsigned_abs());
            }
            Text(text) => write_text(&mut bytes, text),
        }
    }
    format!("{prefix}_{}", URL_SAFE_NO_PAD.encode(bytes))
}

/// Up to 31 bytes in the short form, otherwise with a two-byte length. Real ids never use
/// the one-byte length.
fn write_text(bytes: &mut Vec<u8>, text: &str) {
    match text.len() {
        short @ 0..=31 => bytes.push(0xa0 | short as u8),
        long => {
            bytes.push(0xda);
            bytes.extend_from_slice(&u16::try_from(long).unwrap_or(u16::MAX).to_be_bytes());
        }
    }
    bytes.extend_from_slice(text.as_bytes());
}

pub fn account(row: &account::Model) -> String {
    let prefix = match row.kind {
        account::AccountKind::User if row.mannequin => "M",
        account::AccountKind::User => "U",
        account::AccountKind::Organization => "O",
        account::AccountKind::Bot => "BOT",
    };
    encode(prefix, &[Number(row.id)])
}

pub fn repository(id: i64) -> String {
    encode("R", &[Number(id)])
}

pub fn git_ref(repository: i64, name: &str) -> String {
    encode("REF", &[Number(repository), Text(name)])
}

pub fn commit(repository: i64, sha: &str) -> String {
    encode("C", &[Number(repository), Text(sha)])
}

pub fn commit_status(repository: i64, id: i64) -> String {
    encode("SC", &[Number(repository), Number(id)])
}

pub fn check_run(repository: i64, id: i64) -> String {
    encode("CR", &[Number(repository), Number(id)])
}

pub fn check_suite(repository: i64, id: i64) -> String {
    encode("CS", &[Number(repository), Number(id)])
}

pub fn blob(repository: i64, sha: &str) -> String {
    encode("B", &[Number(repository), Text(sha)])
}

pub fn tag(repository: i64, sha: &str) -> String {
    encode("TA", &[Number(repository), Text(sha)])
}

pub fn pull(repository: i64, id: i64) -> String {
    encode("PR", &[Number(repository), Number(id)])
}

pub fn issue(repository: i64, id: i64) -> String {
    encode("I", &[Number(repository), Number(id)])
}

pub fn issue_comment(repository: i64, id: i64) -> String {
    encode("IC", &[Number(repository), Number(id)])
}

pub fn label(repository: i64, id: i64) -> String {
    encode("LA", &[Number(repository), Number(id)])
}

/// A reaction to a comment of either kind.
pub fn reaction(repository: i64, comment: i64, id: i64) -> String {
    encode("REA", &[Number(repository), Number(comment), Number(id)])
}

pub fn review(repository: i64, id: i64) -> String {
    encode("PRR", &[Number(repository), Number(id)])
}

pub fn review_comment(repository: i64, id: i64) -> String {
    encode("PRRC", &[Number(repository), Number(id)])
}

pub fn project(owner: i64, id: i64) -> String {
    encode("PVT", &[Number(owner), Number(id)])
}

/// The prefix depends on the type of the field: `PVTF`, `PVTSSF` or `PVTIF`.
pub fn project_field(prefix: &'static str, owner: i64, project: i64, id: i64) -> String {
    encode(prefix, &[Number(owner), Number(project), Number(id)])
}

pub fn project_item(owner: i64, project: i64, id: i64) -> String {
    encode("PVTI", &[Number(owner), Number(project), Number(id)])
}

/// A draft has no repository: it is known by its item.
pub fn draft_issue(owner: i64, project: i64, id: i64) -> String {
    encode("DI", &[Number(owner), Number(project), Number(id)])
}

/// The prefix depends on the type of the field: `IFT`, `IFSS`, `IFMS`, `IFD` or `IFN`.
pub fn issue_field(prefix: &'static str, organization: i64, id: i64) -> String {
    encode(prefix, &[Number(organization), Number(id)])
}

pub fn app(id: i64) -> String {
    encode("A", &[Number(id)])
}

pub fn installation(id: i64) -> String {
    encode("IN", &[Number(id)])
}

pub fn license(key: &str) -> String {
    encode("L", &[Text(key)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_were_seen_in_the_wild_come_out_the_same() {
        assert_eq!(repository(418_546_277), "R_kgDOGPKCZQ");
        assert_eq!(
            git_ref(515_435_789, "refs/heads/main"),
            "REF_kwDOHrjtDa9yZWZzL2hlYWRzL21haW4"
        );
        assert_eq!(
            review_comment(206_888_201, 1_641_776_780),
            "PRRC_kwDODFTdCc5h24aM"
        );
    }

    #[test]
    fn a_long_name_has_a_length_of_two_bytes() {
        let name = "refs/heads/a-name-of-more-than-thirty-one-bytes";
        let id = git_ref(1, name);
        let bytes = URL_SAFE_NO_PAD
            .decode(id.trim_start_matches("REF_"))
            .unwrap();
        assert_eq!(bytes[3], 0xda);
        assert_eq!(usize::from(bytes[5]), name.len());
    }
}
