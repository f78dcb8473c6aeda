//! Combinations of the flags of `serve`.

use clap::FromArgMatches;

use super::*;

fn serve(arguments: &[&str]) -> ServeConfig {
    let command = ServeConfig::augment_args(clap::Command::new("serve"));
    let matches = command.get_matches_from([&["serve"], arguments].concat());
    ServeConfig::from_arg_matches(&matches).unwrap()
}

#[test]
fn a_server_that_others_reach_is_told_to_name_its_address() {
    assert!(!serve(&[]).trusts_any_host());
    assert!(serve(&["--listen", "0.0.0.0:1"]).trusts_any_host());
    let with_base_url = [
        "--listen",
        "0.0.0.0:1",
        "--base-url",
        "https://forge.example",
    ];
    assert!(!serve(&with_base_url).trusts_any_host());
}

#[test]
fn comments_have_limits_unless_rate_limits_are_off() {
    let content = |arguments: &[&str]| serve(arguments).settings().content;
    assert_eq!(content(&[]), Some(ContentBudget::default()));
    let strict = ContentBudget {
        minute: 1,
        ..ContentBudget::default()
    };
    assert_eq!(content(&["--content-limit-minute", "1"]), Some(strict));
    assert_eq!(content(&["--rate-limits", "off"]), None);
}

#[test]
fn webhooks_stay_out_of_the_network_of_a_server_that_others_reach() {
    let networks = |arguments: &[&str]| serve(arguments).settings().webhooks_to;
    assert_eq!(networks(&[]), Networks::Private);
    assert_eq!(networks(&["--listen", "[::1]:1"]), Networks::Private);
    assert_eq!(networks(&["--listen", "0.0.0.0:1"]), Networks::Public);
    let insisting = ["--listen", "10.0.0.1:1", "--webhooks-to", "link-local"];
    assert_eq!(networks(&insisting), Networks::LinkLocal);
}

#[test]
fn only_a_server_that_nobody_else_uses_has_the_control_api_by_default() {
    let control = |arguments: &[&str]| serve(arguments).control();
    for alone in [
        &[][..],
        &["--listen", "[::1]:1"],
        &["--world", "own.yaml"],
        &["--database-url", "sqlite://own.db"],
        &["--base-url", "http://localhost:8080"],
        &["--base-url", "https://api.github.localhost"],
    ] {
        assert!(control(alone), "{alone:?}");
    }
    for shared in [
        ["--listen", "0.0.0.0:1"],
        ["--database-url", "postgres://a@b/c"],
        ["--base-url", "https://forge.example"],
    ] {
        assert!(!control(&shared), "{shared:?}");
        assert!(control(&[&shared[..], &["--control", "on"]].concat()));
    }
    assert!(!control(&["--control", "off"]));
}
