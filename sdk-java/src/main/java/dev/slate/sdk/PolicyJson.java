package dev.slate.sdk;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slate.api.egress.v1.HostRule;
import dev.slate.api.egress.v1.NamedMatch;
import dev.slate.api.egress.v1.NetworkPolicy.Mode;
import dev.slate.api.egress.v1.RequestRule;
import dev.slate.api.egress.v1.SetHeader;
import dev.slate.api.egress.v1.TextMatch;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Policies as JSON. A field that is not known is refused: it could be a condition that would be missed. */
final class PolicyJson {

    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(com.fasterxml.jackson.core.JsonParser.Feature.STRICT_DUPLICATE_DETECTION);

    private PolicyJson() {}

    static dev.slate.api.egress.v1.NetworkPolicy read(String json) {
        JsonNode root;
        try {
            root = JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    "network policy: not JSON (expected: an object), " + e.getOriginalMessage(), e);
        }
        fields("network policy", root, Set.of("mode", "hosts", "routes", "denied", "observe"));
        var policy = dev.slate.api.egress.v1.NetworkPolicy.newBuilder().setMode(mode(root.path("mode")));
        each("hosts", root.path("hosts"), host -> {
            if (host.isTextual()) {
                policy.addAllowedHosts(host.textValue());
            } else {
                policy.addHostRules(host(host));
            }
        });
        each(
                "routes",
                root.path("routes"),
                route -> policy.addRoutes(NetworkPolicy.routeMessage(text("routes", route))));
        each("denied", root.path("denied"), range -> policy.addDeniedCidrs(text("denied", range)));
        return policy.setObserve(flag("observe", root.path("observe"))).build();
    }

    static String write(NetworkPolicy policy, dev.slate.api.egress.v1.NetworkPolicy message) {
        var root = object();
        root.put("mode", policy.isOpen() ? "open" : "allowlist");
        var hosts = root.putArray("hosts");
        policy.hosts().forEach(hosts::add);
        message.getHostRulesList().forEach(rule -> hosts.add(host(rule)));
        strings(root, "routes", policy.routes());
        strings(root, "denied", policy.deniedCidrs());
        if (policy.isObserving()) {
            root.put("observe", true);
        }
        try {
            return JSON.writeValueAsString(root);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("no JSON form of a policy", e);
        }
    }

    private static Mode mode(JsonNode mode) {
        return switch (mode.asText("allowlist")) {
            case "open" -> Mode.MODE_OPEN;
            case "allowlist" -> Mode.MODE_ALLOWLIST;
            default -> throw refused("mode", mode, "\"open\" or \"allowlist\"");
        };
    }

    private static HostRule host(JsonNode node) {
        fields("hosts", node, Set.of("host", "inspect", "rules"));
        var rule = HostRule.newBuilder()
                .setHost(text("host", node.path("host")))
                .setInspect(flag("inspect", node.path("inspect")));
        each("rules", node.path("rules"), request -> rule.addRules(request(request)));
        return rule.build();
    }

    private static ObjectNode host(HostRule rule) {
        var node = object();
        node.put("host", rule.getHost());
        if (rule.getInspect()) {
            node.put("inspect", true);
        }
        if (rule.getRulesCount() > 0) {
            var rules = node.putArray("rules");
            rule.getRulesList().forEach(request -> rules.add(request(request)));
        }
        return node;
    }

    private static RequestRule request(JsonNode node) {
        fields("rules", node, Set.of("methods", "path", "query", "headers", "setHeaders"));
        var rule = RequestRule.newBuilder();
        each("methods", node.path("methods"), method -> rule.addMethods(text("methods", method)));
        if (node.has("path")) {
            rule.setPath(match("path", node.path("path")));
        }
        named("query", node.path("query"), rule::addQuery);
        named("headers", node.path("headers"), rule::addHeaders);
        each("setHeaders", node.path("setHeaders"), header -> {
            fields("setHeaders", header, Set.of("name", "value", "secret"));
            rule.addSetHeaders(SetHeader.newBuilder()
                    .setName(text("name", header.path("name")))
                    .setValue(header.has("value") ? text("value", header.path("value")) : "")
                    .setSecret(header.has("secret") ? text("secret", header.path("secret")) : ""));
        });
        return rule.build();
    }

    private static ObjectNode request(RequestRule rule) {
        var node = object();
        strings(node, "methods", rule.getMethodsList());
        if (rule.hasPath()) {
            node.set("path", match(rule.getPath()));
        }
        named(node, "query", rule.getQueryList());
        named(node, "headers", rule.getHeadersList());
        if (rule.getSetHeadersCount() > 0) {
            var headers = node.putArray("setHeaders");
            for (var header : rule.getSetHeadersList()) {
                var set = headers.addObject().put("name", header.getName()).put("value", header.getValue());
                if (!header.getSecret().isEmpty()) {
                    set.put("secret", header.getSecret());
                }
            }
        }
        return node;
    }

    private static void named(String name, JsonNode node, Consumer<NamedMatch> to) {
        if (!node.isMissingNode() && !node.isObject()) {
            throw refused(name, node, "an object of names and conditions");
        }
        node.properties()
                .forEach(entry -> to.accept(NamedMatch.newBuilder()
                        .setName(entry.getKey())
                        .setValue(match(entry.getKey(), entry.getValue()))
                        .build()));
    }

    private static void named(ObjectNode to, String name, List<NamedMatch> matches) {
        if (!matches.isEmpty()) {
            var node = to.putObject(name);
            matches.forEach(match -> node.set(match.getName(), match(match.getValue())));
        }
    }

    private static TextMatch match(String name, JsonNode node) {
        fields(name, node, Set.of("exact", "prefix", "regex"));
        if (node.size() != 1) {
            throw refused(name, node, "one of exact, prefix and regex");
        }
        var kind = node.fieldNames().next();
        var text = text(kind, node.path(kind));
        return switch (kind) {
            case "exact" -> TextMatch.newBuilder().setExact(text).build();
            case "prefix" -> TextMatch.newBuilder().setPrefix(text).build();
            default -> TextMatch.newBuilder().setRegex(text).build();
        };
    }

    private static ObjectNode match(TextMatch match) {
        return switch (match.getKindCase()) {
            case EXACT -> object().put("exact", match.getExact());
            case PREFIX -> object().put("prefix", match.getPrefix());
            case REGEX -> object().put("regex", match.getRegex());
            case KIND_NOT_SET -> object();
        };
    }

    private static void each(String name, JsonNode node, Consumer<JsonNode> step) {
        if (!node.isMissingNode() && !(node instanceof ArrayNode)) {
            throw refused(name, node, "a list");
        }
        node.forEach(step);
    }

    private static void strings(ObjectNode to, String name, List<String> values) {
        if (!values.isEmpty()) {
            var list = to.putArray(name);
            values.forEach(list::add);
        }
    }

    private static void fields(String name, JsonNode node, Set<String> known) {
        if (!node.isObject()) {
            throw refused(name, node, "an object");
        }
        node.fieldNames().forEachRemaining(field -> {
            if (!known.contains(field)) {
                throw new IllegalArgumentException(name + ": unknown field " + field + " (expected: some of "
                        + known.stream().sorted().toList() + ")");
            }
        });
    }

    private static boolean flag(String name, JsonNode node) {
        if (!node.isMissingNode() && !node.isBoolean()) {
            throw refused(name, node, "true or false");
        }
        return node.asBoolean(false);
    }

    private static String text(String name, JsonNode node) {
        if (!node.isTextual()) {
            throw refused(name, node, "a string");
        }
        return node.textValue();
    }

    private static IllegalArgumentException refused(String name, JsonNode node, String expected) {
        return new IllegalArgumentException(
                name + ": " + (node.isMissingNode() ? "missing" : node) + " (expected: " + expected + ")");
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }
}
