# Everything that is done more than once. `just` alone lists it.

# List the recipes
default:
    @just --list --unsorted

# Serve on 127.0.0.1:8080 with the demo world
run *arguments:
    cargo run -- {{ arguments }}

# The whole suite on SQLite
test *arguments:
    cargo test {{ arguments }}

# The whole suite on a private PostgreSQL
test-postgres *arguments:
    tests/with-postgres cargo test {{ arguments }}

# Rewrite openapi/*.yaml from the code, also while the build fails for drift
openapi:
    OPENAPI_BLESS=1 cargo build --lib
    git diff --stat -- openapi

# Show that the build notices drift between the YAML and the code
drift:
    tests/drift

# Format the code
format:
    cargo fmt --all

# Format check and clippy, warnings denied
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings

# Lint both documents: redocly and spectral, no error and no warning
lint-documents:
    tests/documents/lint

# Throw malformed and generated requests at a server of its own, some minutes (needs Python)
fuzz *options:
    cargo build
    tests/fuzz/run short {{ options }}

# The same for a quarter of an hour, and for more kinds of callers
fuzz-long *options:
    cargo build
    tests/fuzz/run long {{ options }}

# The same for a night
fuzz-night *options:
    cargo build
    tests/fuzz/run night {{ options }}

# Throw noise at every parser, so many seconds each; new inputs stay in the corpus (needs cargo-fuzz)
fuzz-parsers seconds="60":
    tests/parsers/run {{ seconds }}

# Hold the document, real answers and webhooks against GitHub's own description (needs npm)
github:
    cargo build
    tests/github/run

# Use Swagger UI in Chromium; screenshots in target/browser (needs npm and Chromium)
browser:
    cargo build
    tests/browser/run

# Execute the examples of all documents, and compare what they print (needs npm and Python)
examples:
    cargo build
    tests/examples/run

# Real clients against servers of their own; names choose some (needs npm, Python, gh and openssl)
clients *names:
    cargo build
    tests/clients/run {{ names }}

# Measure the release server against a bare poem and a bare Node server (needs wrk; `just bench --help`)
bench *options:
    cargo bench --bench speed -- {{ options }}

# The same on a private PostgreSQL, against pgbench
bench-postgres *options:
    tests/with-postgres sh -c 'cargo bench --bench speed -- postgres --database-url "$TEST_DATABASE_URL" "$@"' - {{ options }}

# Generate clients in TypeScript, Python and Rust and use them; names choose some (needs npm and Python)
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

# Stop, freeze, lock and fill the database under load (needs root for a small disk)
faults *options:
    cargo build
    tests/reliability/run faults {{ options }}

# Three processes on one PostgreSQL, and a rolling restart
processes *options:
    cargo build
    tests/reliability/run processes {{ options }}

# Clients that stop in the middle, say too much, or go away
wire *options:
    cargo build
    tests/reliability/run wire {{ options }}

# Two thousand connections at once
overload *options:
    cargo build
    tests/reliability/run overload {{ options }}

# Connections that say nothing, answers that nobody takes, lists and diffs that cost a lot
attack *options:
    cargo build
    tests/reliability/run attack --seconds 30 {{ options }}

# Reads and writes for an hour on each database: memory and descriptors stay flat
soak *options:
    cargo build --release
    FORGEWRIGHT_BINARY=target/release/forgewright tests/reliability/run soak --seconds 3600 {{ options }}

# The short forms of all of these, as CI runs them
reliability *options:
    cargo build
    tests/reliability/run crash backup faults processes wire overload soak --seconds 20 {{ options }}
    tests/reliability/run attack --seconds 10 {{ options }}

# The code's own documentation, warnings denied
doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --document-private-items

# Known vulnerabilities of the dependencies (needs cargo-deny and the advisory database)
audit:
    cargo deny --config .config/deny.toml check

# All that guards the product, as CI runs it
ci:
    .ci/run
