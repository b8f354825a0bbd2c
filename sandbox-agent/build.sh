#!/bin/sh
# Called by Maven: "build RESOURCE" compiles the agent and copies it there, "test" runs its unit tests.
set -eu
cd "$(dirname "$0")"

if ! command -v cargo >/dev/null; then
    echo "sandbox-agent: cargo is missing. Install the Debian packages cargo and libc6-dev (apt install cargo libc6-dev)." >&2
    exit 1
fi

# Static, because the image that the agent runs in may have another C library or none.
export CARGO_TARGET_DIR=target/cargo
export RUSTFLAGS="-C target-feature=+crt-static -D warnings"

case "$1" in
build)
    cargo build --release --locked --offline --quiet
    # Unchanged files keep their time, so that Maven does not repackage them.
    cmp --silent "$CARGO_TARGET_DIR/release/slate-agent" "$2" ||
        install -D --mode=755 "$CARGO_TARGET_DIR/release/slate-agent" "$2"
    ;;
test)
    cargo test --locked --offline --quiet
    ;;
esac
