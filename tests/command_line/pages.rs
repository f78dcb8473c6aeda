//! Which requests of browsers reach the control API: those of the pages of this server, at a
//! loopback address. Programs, which send no header of a browser, need only the address.

use std::path::Path;

use crate::support::process::ServerProcess;

/// A server with the demo world, and one with a world of the operator, both with the defaults.
fn servers(folder: &Path) -> [ServerProcess; 2] {
    let world = folder.join("own.yaml");
    std::fs::write(&world, "users: [{login: zoe}]\n").unwrap();
    let own = ["--data-dir", "own", "--world", world.to_str().unwrap()];
    [
        ServerProcess::start(folder, &[]),
        ServerProcess::start(folder, &own),
    ]
}

/// Sends a request with these headers. Returns the status and the body.
fn send(server: &ServerProcess, line: &str, headers: &[&str]) -> (u16, String) {
    let headers: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    let request =
        format!("{line} HTTP/1.1\r\nConnection: close\r\n{headers}Content-Length: 2\r\n\r\n{{}}");
    let response = server.send(request.as_bytes());
    let status = response.split(' ').nth(1).unwrap().parse().unwrap();
    let body = response.split_once("\r\n\r\n").unwrap().1;
    (status, body.to_owned())
}

#[test]
fn an_invalid_host_is_400_on_every_path() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path(), &[]);
    let long = "a".repeat(254);
    for path in [
        "/",
        "/versions",
        "/graphql",
        "/healthz",
        "/metrics",
        "/docs/",
        "/console/",
        "/console/token",
        "/_forgewright/worlds",
        "/_worlds/main/versions",
        "/acme/gadgets.git/info/refs?service=git-upload-pack",
        "/nowhere",
    ] {
        for host in [
            "a!b.evil.example",
            "127.0.0.1:80:80",
            "127.0.0.1:",
            "",
            &long,
        ] {
            let host = format!("Host: {host}");
            let (status, body) = send(&server, &format!("GET {path}"), &[&host]);
            assert_eq!(status, 400, "{path} {host}: {body}");
            let body: serde_json::Value = serde_json::from_str(&body).unwrap();
            assert_eq!(body["message"], "The request does not name a valid host");
            assert_eq!(body["status"], "400");
        }
    }
    let absolute = send(
        &server,
        "GET http://a!b.evil.example/versions",
        &["Host: localhost"],
    );
    assert_eq!(absolute.0, 400, "{}", absolute.1);
}

#[test]
fn only_exact_loopback_names_reach_the_control_api() {
    let folder = tempfile::tempdir().unwrap();
    for server in servers(folder.path()) {
        let port = server.address.rsplit_once(':').unwrap().1;
        let long = "a".repeat(252);
        for name in [
            &*long,
            "rebound.example",
            "evil.localhost",
            "localhost.",
            "2130706433",
        ] {
            let host = format!("Host: {name}:{port}");
            let (status, _) = send(&server, "GET /healthz", &[&host]);
            assert_eq!(status, 200, "{host}");
            for path in ["/_forgewright/worlds", "/console/token"] {
                let (status, body) = send(&server, &format!("GET {path}"), &[&host]);
                assert_eq!(status, 403, "{host} {path}: {body}");
            }
        }
        for name in ["localhost", "LOCALHOST", "127.0.0.1", "127.1.2.3", "[::1]"] {
            let host = format!("Host: {name}:{port}");
            let (status, body) = send(&server, "GET /_forgewright/worlds", &[&host]);
            assert_eq!(status, 200, "{host}: {body}");
        }
    }
}

#[test]
fn a_proxy_of_this_machine_does_not_reach_the_control_api_for_others() {
    let folder = tempfile::tempdir().unwrap();
    for server in servers(folder.path()) {
        let host = format!("Host: {}", server.address);
        for forwarded in [
            "Forwarded: for=203.0.113.9",
            "X-Forwarded-For: 203.0.113.9",
            "X-Forwarded-Host: forge.example",
            "X-Real-IP: 203.0.113.9",
        ] {
            for path in ["/_forgewright/worlds", "/console/token"] {
                let (status, body) = send(&server, &format!("GET {path}"), &[&host, forwarded]);
                assert_eq!(status, 403, "{path} {forwarded}: {body}");
                assert!(body.contains("--control-token"), "{body}");
            }
        }
    }
}

#[test]
fn a_browser_needs_the_token_of_a_page_and_a_program_does_not() {
    let folder = tempfile::tempdir().unwrap();
    servers(folder.path()).iter().for_each(needs_its_page_token);
}

/// Requests of a browser to a server that has the control API by default.
fn needs_its_page_token(server: &ServerProcess) {
    let host = format!("Host: {}", server.address);
    let origin = format!("Origin: http://{}", server.address);
    let site = "Sec-Fetch-Site: same-origin";
    for elsewhere in [
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site",
        "Sec-Fetch-Site: none",
        "Origin: http://127.0.0.1:1",
        "Origin: null",
    ] {
        for line in [
            "GET /console/token",
            "GET /_forgewright/worlds",
            "POST /_forgewright/worlds",
        ] {
            let (status, body) = send(server, line, &[&host, elsewhere]);
            assert_eq!(status, 403, "{line} {elsewhere}: {body}");
        }
    }
    let (status, token) = send(server, "GET /console/token", &[&host, site]);
    assert_eq!((status, token.len()), (200, 64));
    let page = format!("X-Forgewright-Page: {token}");
    let wrong = format!("X-Forgewright-Page: {}", "0".repeat(64));
    let create = "POST /_forgewright/worlds";
    for headers in [
        &[&*host, &origin][..],
        &[&host, site],
        &[&host, &origin, site, &wrong],
    ] {
        let (status, body) = send(server, create, headers);
        assert_eq!(status, 403, "{headers:?}: {body}");
    }
    for headers in [&[&*host, &origin, site, &page][..], &[&host]] {
        let (status, body) = send(server, create, headers);
        assert_eq!(status, 201, "{headers:?}: {body}");
    }
    // The documentation sends it too.
    let (_, settings) = server.get("/docs/swagger-initializer.js", None);
    assert!(settings.contains("x-forgewright-page"), "{settings}");
}
