package dev.slate.sdk;

/** Refers to a stored secret by name; holds no value. */
public record Secret(String name) {

    public Secret {
        if (name.isBlank()) {
            throw new IllegalArgumentException("secret name: empty (expected: a name such as API_KEY)");
        }
    }

    public static Secret named(String name) {
        return new Secret(name);
    }
}
