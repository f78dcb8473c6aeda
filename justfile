# The commands of this repository. `just` alone lists them.

# List the recipes
default:
    @just --list --unsorted

# Serve on 127.0.0.1:8080 with the demo world
run *arguments:
    cargo run -- {{ arguments }}

# The Rust tests on SQLite
test *arguments:
    cargo test {{ arguments }}

# The Rust tests on a private PostgreSQL
test-postgres *arguments:
    tests/with-postgres cargo test {{ arguments }}

# Rewrite openapi/*.yaml from the code, even while the build fails because they differ
openapi:
    OPENAPI_BLESS=1 cargo build --lib
    git diff --stat -- openapi

# Show that the build stops when openapi/*.yaml and the code differ
drift:
    tests/openapi/drift

# Format the code
format:
    cargo fmt --all

# Format check and clippy, warnings denied
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings

# Lint the OpenAPI documents with redocly and spectral; a warning fails (needs npm)
lint-documents:
    tests/openapi/lint

# Send malformed and generated requests for a few minutes (needs Python)
fuzz *options:
    cargo build
    tests/fuzz/run short {{ options }}

# Fuzz for 15 minutes, with more kinds of callers
fuzz-long *options:
    cargo build
    tests/fuzz/run long {{ options }}

# Fuzz overnight
fuzz-night *options:
    cargo build
    tests/fuzz/run night {{ options }}

# Fuzz each parser for a number of seconds and add new inputs to the corpus (needs cargo-fuzz)
fuzz-parsers seconds="60":
    tests/parsers/run {{ seconds }}

# Compare the OpenAPI documents, responses and webhooks with GitHub's own descriptions (needs npm)
github:
    cargo build
    tests/github/run

# Test Swagger UI and the console in Chromium; screenshots go to target/browser (needs npm and Chromium)
browser:
    cargo build
    tests/browser/run

# Run the examples in the documentation and compare their output (needs npm and Python)
examples:
    cargo build
    tests/examples/run

# Rewrite docs/supported.md from the OpenAPI documents (needs Python)
supported:
    $(tests/install python)/python tests/github/list-supported

# Build the documentation as a site with search into target/site, and check its links (needs mdbook)
site:
    .config/site/build

# Test with real clients, all or those named (needs npm, Python, gh and openssl)
clients *names:
    cargo build
    tests/clients/run {{ names }}

# Measure the release server against a bare poem and a bare Node server (needs wrk; `just bench --help`)
bench *options:
    cargo bench --profile dist --bench speed -- {{ options }}

# Measure on a private PostgreSQL, against pgbench
bench-postgres *options:
    tests/with-postgres sh -c 'cargo bench --profile dist --bench speed -- postgres --database-url "$TEST_DATABASE_URL" "$@"' - {{ options }}

# Generate clients in TypeScript, Python and Rust and test them, all or those named (needs npm and Python)
sdks *names:
    cargo build
    tests/sdks/run {{ names }}

# Kill the server a hundred times while sixteen clients write, on both databases (needs Python and PostgreSQL)
crash *options:
    cargo build
    tests/reliability/run crash --rounds 100 {{ options }}

# Back up and restore while sixteen clients write
backup *options:
    cargo build
    tests/reliability/run backup {{ options }}

# Stop, freeze, lock and fill the database under load (needs root to mount a small disk)
faults *options:
    cargo build
    tests/reliability/run faults {{ options }}

# Run three processes on one PostgreSQL, with a rolling restart
processes *options:
    cargo build
    tests/reliability/run processes {{ options }}

# Kill the primary of PostgreSQL a hundred times while clients write at three processes (needs haproxy)
failover *options:
    cargo build
    tests/reliability/run failover --failovers 100 {{ options }}

# Test clients that stall, send too much or disconnect
wire *options:
    cargo build
    tests/reliability/run wire {{ options }}

# Open two thousand connections at once
overload *options:
    cargo build
    tests/reliability/run overload {{ options }}

# Attack with idle connections, unread responses, long lists and expensive diffs
attack *options:
    cargo build
    tests/reliability/run attack --seconds 30 {{ options }}

# Kill the server in the middle of resets
reset *options:
    cargo build
    tests/reliability/run reset {{ options }}

# Read and write for an hour on each database: memory and descriptors stay flat
soak *options:
    cargo build --release
    FORGEWRIGHT_BINARY=target/release/forgewright tests/reliability/run soak --seconds 3600 {{ options }}

# Run all reliability tests in their short forms, as CI does
reliability *options:
    cargo build
    tests/reliability/run crash backup faults processes failover wire overload reset soak --seconds 20 {{ options }}
    tests/reliability/run attack --seconds 10 {{ options }}

# Build the packages of a `dist` binary into target/packages, all formats or those named
package *formats:
    LIBZ_SYS_STATIC=1 cargo build --profile dist
    packaging/build {{ formats }}

# Rewrite the licences of what is in the binary, after a change of its dependencies
notices:
    packaging/notices

# Build, install and use the packages (needs npm, Python, buildah and root)
packages *formats:
    cargo build
    tests/packages/run {{ formats }}

# Build the Rust documentation, warnings denied
doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --document-private-items

# Check the dependencies for known vulnerabilities (needs cargo-deny and the network)
audit:
    cargo deny --config .config/deny.toml check

# Run everything that CI runs
ci:
    .ci/run
