/** The values to set for your install; each can also come from the environment. */
class Config {
    /** The host of the row "API Server" of `slate config`. The model gateway is served from it, under /v1/router. */
    static final String API_HOST = setting("SLATE_EXAMPLE_API_HOST", "api.slate.internal");

    /** The value "Env Id" of `slate whoami`. */
    static final String ENVIRONMENT_ID = setting("SLATE_ENVIRONMENT_ID", "your-environment-id");

    /** A chat model of your gateway (`slate router model list`) that supports tool calling. */
    static final String MODEL = setting("SLATE_EXAMPLE_MODEL", "openai/gpt-4.1-mini");

    /** The secret that holds the gateway key. */
    static final String KEY_SECRET = "AGENT_GATEWAY_KEY";

    /** What each step asks for to see whether the open internet can be reached. */
    static final String PROBE_URL = setting("SLATE_EXAMPLE_PROBE_URL", "https://pypi.org/");

    private static String setting(String variable, String otherwise) {
        String value = System.getenv(variable);
        return value == null || value.isEmpty() ? otherwise : value;
    }
}
