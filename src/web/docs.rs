//! Swagger UI, bundled in the binary, and the documents that it shows.

use std::sync::{Arc, LazyLock};

use poem::endpoint::make_sync;
use poem::http::{StatusCode, header};
use poem::{Endpoint, Request, Response};
use serde_json::Value;
use utoipa_swagger_ui::{Config, Url};

use super::failures;
use contract::document::yaml;
use contract::problem::Problem;

/// `GET /docs`, redirected to the slash that relative URLs need.
pub fn entrance() -> impl Endpoint<Output = Response> {
    make_sync(|_| redirect())
}

/// Redirects to the interactive documentation.
pub fn redirect() -> Response {
    Response::builder()
        .status(StatusCode::FOUND)
        .header(header::LOCATION, "/docs/")
        .finish()
}

/// Swagger UI only runs its own files, only connects to this server, and cannot be framed.
/// It uses inline styles and `data:` images.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                      img-src 'self' data:; font-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Text that is inserted into a file of Swagger UI.
struct SwaggerInsertion {
    file: &'static str,
    after: &'static str,
    text: &'static str,
}

const INSERTIONS: [SwaggerInsertion; 3] = [
    SwaggerInsertion {
        file: "swagger-initializer.js",
        after: "SwaggerUIBundle({",
        text: BEFORE_EACH_REQUEST,
    },
    SwaggerInsertion {
        file: "index.html",
        after: r#"<meta charset="UTF-8">"#,
        text: r#"
    <meta name="viewport" content="width=device-width, initial-scale=1">"#,
    },
    SwaggerInsertion {
        file: "index.css",
        after: "background: #fafafa;\n}\n",
        text: include_str!("docs/phone.css"),
    },
];

/// A setting that is a function, which the builder does not support. It bypasses the browser's
/// cache, which may keep responses of the API for a minute, and sends the token of this server's
/// pages to the control API.
const BEFORE_EACH_REQUEST: &str = r#"
    requestInterceptor: async (request) => {
      const { origin, pathname } = new URL(request.url, location.href);
      if (origin === location.origin && pathname.startsWith("/_forgewright/")) {
        const token = await fetch("/console/token", { cache: "no-store" });
        request.headers["x-forgewright-page"] = await token.text();
      }
      return Object.assign(request, { cache: "no-store" });
    },"#;

/// `GET /docs/…`. The control API is shown where it is served.
pub fn swagger_ui(control: bool) -> impl Endpoint<Output = Response> {
    let mut documents = vec![
        Url::with_primary("service", "/openapi/service.json", true),
        Url::new("companion", "/openapi/companion.json"),
        Url::new("operations", "/operations.json"),
    ];
    if control {
        documents.push(Url::new("control", "/openapi/control.json"));
    }
    let config = Arc::new(
        Config::new(documents)
            .try_it_out_enabled(true)
            .persist_authorization(true)
            .display_request_duration(true)
            // Collapsed: sixty schemas would make the page 7,500 pixels tall.
            .default_models_expand_depth(0)
            .show_extensions(false)
            .filter(true),
    );
    make_sync(move |request: Request| {
        // Not the path parameter: it is missing for the index and for invalid UTF-8.
        let path = request.uri().path();
        let file = match path.strip_prefix("/docs/").unwrap_or(path) {
            "" => "index.html",
            file => file,
        };
        match utoipa_swagger_ui::serve(file, config.clone()) {
            Ok(Some(found)) => Response::builder()
                .content_type(&found.content_type)
                .header(header::CONTENT_SECURITY_POLICY, POLICY)
                .body(content(file, &found.bytes)),
            Ok(None) => failures::response(&Problem::NotFound, None),
            Err(cause) => failures::response(&Problem::internal(cause.to_string()), None),
        }
    })
}

fn content(file: &str, bytes: &[u8]) -> Vec<u8> {
    let insertion = INSERTIONS.iter().find(|one| one.file == file);
    let Some(SwaggerInsertion { after, text, .. }) = insertion else {
        return bytes.to_vec();
    };
    let original = String::from_utf8_lossy(bytes);
    original
        .replacen(after, &format!("{after}{text}"), 1)
        .into_bytes()
}

/// `GET /openapi/{service,companion,control}.{json,yaml}`
pub fn documents() -> impl Endpoint<Output = Response> {
    make_sync(|request: Request| match request.raw_path_param("file") {
        Some("service.json") => json(contract::service()),
        Some("companion.json") => json(contract::companion()),
        Some("service.yaml") => text(&SERVICE_YAML),
        Some("companion.yaml") => text(&COMPANION_YAML),
        Some("control.json") => json(contract::control()),
        Some("control.yaml") => text(&CONTROL_YAML),
        _ => failures::response(&Problem::NotFound, None),
    })
}

static SERVICE_YAML: LazyLock<String> = LazyLock::new(|| to_yaml(contract::service()));
static COMPANION_YAML: LazyLock<String> = LazyLock::new(|| to_yaml(contract::companion()));
static CONTROL_YAML: LazyLock<String> = LazyLock::new(|| to_yaml(contract::control()));

fn to_yaml(document: &Value) -> String {
    yaml::write(document).unwrap_or_default()
}

fn json(document: &Value) -> Response {
    shared("application/json", document.to_string())
}

fn text(document: &str) -> Response {
    shared("application/yaml", document.to_owned())
}

/// Other sites may read the documents: generators and viewers do.
fn shared(content_type: &str, body: String) -> Response {
    Response::builder()
        .content_type(content_type)
        .header("access-control-allow-origin", "*")
        .body(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_insertion_finds_its_place() {
        let config = Arc::new(Config::new([Url::new("service", "/service.json")]));
        for SwaggerInsertion { file, after, text } in INSERTIONS {
            let found = utoipa_swagger_ui::serve(file, config.clone()).unwrap();
            let changed = content(file, &found.unwrap().bytes);
            let changed = String::from_utf8(changed).unwrap();
            assert!(changed.contains(&format!("{after}{text}")), "{file}");
        }
    }
}
