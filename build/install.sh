# Sourced by `slate`. Installs what building and running need, as root on Debian and Ubuntu; elsewhere names it.

. "$root/build/java.sh"

# runsc before 2024 has no systrap platform.
runsc_is_new_enough() {
    command -v runsc >/dev/null 2>&1 || return 1
    stamp_of_runsc=$(runsc --version 2>/dev/null | sed -n 's/.*[^0-9]\(20[0-9][0-9]\)[0-9]\{4\}.*/\1/p' | head -n 1)
    [ "${stamp_of_runsc:-0}" -ge 2024 ]
}

# The agent needs 1.66 (sandbox-agent/Cargo.toml).
rust_is_new_enough() {
    command -v cargo >/dev/null 2>&1 || return 1
    minor_of_rust=$(rustc --version 2>/dev/null | sed -n 's/^rustc 1\.\([0-9]*\).*/\1/p')
    [ "${minor_of_rust:-0}" -ge 66 ]
}

missing_packages() {
    [ -n "${JAVA-}" ] || echo java
    runsc_is_new_enough || echo runsc
    command -v nft >/dev/null 2>&1 || [ -x /usr/sbin/nft ] || echo nftables
    command -v ip >/dev/null 2>&1 || [ -x /usr/sbin/ip ] || echo iproute2
    command -v mmdebstrap >/dev/null 2>&1 || echo mmdebstrap
    command -v curl >/dev/null 2>&1 || command -v wget >/dev/null 2>&1 || echo curl
    command -v unzip >/dev/null 2>&1 || echo unzip
    rust_is_new_enough || echo rust
    command -v cc >/dev/null 2>&1 || echo gcc
}

apt_has() {
    candidate=$(apt-cache policy "$1" 2>/dev/null | sed -n 's/^  Candidate: //p')
    [ -n "$candidate" ] && [ "$candidate" != "(none)" ]
}

# The release's backports, from the mirror that this host already uses.
add_backports() {
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' 2>/dev/null |
        awk -v release="$codename" '$2 == release { print $1; exit }')
    if [ -z "$mirror" ]; then
        echo "slate: no mirror for $codename in this host's package sources" >&2
        return 1
    fi
    if ! apt-cache policy 2>/dev/null | grep -q "n=$codename-backports"; then
        echo "slate: adding $codename-backports to the package sources" >&2
        key=$(ls /usr/share/keyrings/debian-archive-keyring.gpg 2>/dev/null || true)
        echo "deb ${key:+[signed-by=$key] }$mirror $codename-backports main" \
            >/etc/apt/sources.list.d/slate-backports.list
        apt-get update -qq >&2
    fi
}

install_runsc() {
    if apt_has runsc && apt-cache policy runsc | grep -q 'Candidate: .*202[4-9]'; then
        apt-get install -y -qq runsc >&2
    else
        add_backports && apt-get install -y -qq -t "$codename-backports" runsc >&2
    fi
}

# Debian 12 keeps a newer one than its first under another name, for its browsers.
install_rust() {
    if apt_has rustc-web && apt_has cargo-web; then
        apt-get install -y -qq --no-install-recommends rustc-web cargo-web >&2
    else
        apt-get install -y -qq --no-install-recommends rustc cargo >&2
    fi
}

# Distributions name their JDK 25 differently.
install_java() {
    for package in openjdk-25-jdk-headless temurin-25-jdk java-25-openjdk-headless; do
        if apt_has "$package"; then
            apt-get install -y -qq "$package" >&2
            find_java
            return
        fi
    done
}

refuse() {
    echo "slate: missing: $missing" >&2
    echo "slate: $1" >&2
    exit 1
}

install_missing() {
    missing=$(missing_packages | tr '\n' ' ')
    if [ -z "$missing" ]; then
        return 0
    fi
    codename=$(. /etc/os-release 2>/dev/null && echo "${VERSION_CODENAME-}" || true)
    command -v apt-get >/dev/null 2>&1 || refuse "install these first (java: a JDK of version 25; rust: 1.66)"
    [ "$(id -u)" = 0 ] || refuse "install these first, or run this once as root"

    echo "slate: installing: $missing" >&2
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq >&2
    for package in $missing; do
        case $package in
            java) install_java ;;
            runsc) install_runsc ;;
            rust) install_rust ;;
            *) apt-get install -y -qq --no-install-recommends "$package" >&2 ;;
        esac
    done

    missing=$(missing_packages | tr '\n' ' ')
    [ -z "$missing" ] || refuse "this host's package sources do not have these (java: a JDK of version 25; rust: 1.66)"
}
