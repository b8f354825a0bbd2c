# Sourced by `slate`. Sets JAVA and JAVA_HOME to a JDK of version 25 or newer, or leaves JAVA empty.

java_is_new_enough() {
    [ -x "$1/bin/javac" ] && [ -f "$1/release" ] || return 1
    version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release")
    [ "${version:-0}" -ge 25 ]
}

find_java() {
    JAVA=
    on_path=$(command -v javac || true)
    if [ -n "$on_path" ]; then
        on_path=$(dirname "$(dirname "$(readlink -f "$on_path")")")
    fi
    for candidate in "${JAVA_HOME-}" /usr/lib/jvm/* "$on_path"; do
        if [ -n "$candidate" ] && java_is_new_enough "$candidate"; then
            JAVA_HOME=$candidate
            JAVA=$candidate/bin/java
            export JAVA_HOME
            return 0
        fi
    done
}

# One source or POM that changed since the stamp, if any.
newer_sources() {
    find "$root" -name target -prune -o -name .git -prune -o \
        \( -name '*.java' -o -name '*.proto' -o -name pom.xml -o -name '*.properties' -o -name '*.sql' \
        -o -name '*.rs' -o -name Cargo.toml \) -newer "$1" ! -path "$root/examples/*" ! -path '*/src/test/*' \
        -print 2>/dev/null | head -n 1
}

find_java
