package dev.slate.runsc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/** Makes and removes namespaces, links and the route to the proxy, with as few programs as possible. */
final class NetworkDevices {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path INTERFACES = Path.of("/sys/class/net");
    private static final Path NAMESPACES = Path.of("/run/netns");
    private static final Path SETTINGS = Path.of("/proc/sys/net");
    private static final int RULE_PRIORITY = 5151;

    private final HostLayout layout;

    NetworkDevices(HostLayout layout) {
        this.layout = layout;
    }

    /** Makes packets with our mark arrive at this host, whatever their destination. */
    void routeMarkedPacketsHere() {
        String mark = Long.toString(layout.routingMark());
        ip("route replace local 0.0.0.0/0 dev lo table " + mark);
        if (!ruleExists()) {
            ip("rule add fwmark " + mark + " lookup " + mark + " priority " + RULE_PRIORITY);
        }
    }

    void create(Collection<NetworkSlot> slots) throws IOException {
        StringBuilder links = new StringBuilder();
        for (NetworkSlot slot : slots) {
            String name = slot.interfaceName();
            links.append("netns add ").append(slot.namespace()).append('\n');
            links.append("link add ").append(name).append(" type veth peer name eth0 netns ");
            links.append(slot.namespace()).append('\n');
        }
        ip(links.toString());
        StringBuilder hostEnds = new StringBuilder();
        for (NetworkSlot slot : slots) {
            String name = slot.interfaceName();
            harden(name);
            hostEnds.append("addr add ")
                    .append(slot.hostAddress().getHostAddress())
                    .append("/30 dev ");
            hostEnds.append(name).append("\nlink set ").append(name).append(" up\n");
        }
        ip(hostEnds.toString());
        for (NetworkSlot slot : slots) {
            String sandboxEnd =
                    "link set lo up\naddr add " + slot.sandboxAddress().getHostAddress()
                            + "/30 dev eth0\nlink set eth0 up\nroute add default via "
                            + slot.hostAddress().getHostAddress() + "\n";
            HostCommand.run(List.of("ip", "-n", slot.namespace(), "-batch", "-"), sandboxEnd);
        }
    }

    /** Removes links first, so that nothing arrives any more; what is not there is fine. */
    void remove(Collection<NetworkSlot> slots) {
        removeByName(
                slots.stream().map(NetworkSlot::interfaceName).toList(),
                slots.stream().map(NetworkSlot::namespace).toList());
    }

    /** Removes every namespace and link of this installation but those of the given slots. */
    void removeAllBut(Collection<NetworkSlot> kept) {
        List<String> links = new ArrayList<>(names(INTERFACES, layout.interfacePrefix()));
        List<String> namespaces = new ArrayList<>(names(NAMESPACES, layout.namespacePrefix()));
        links.removeAll(kept.stream().map(NetworkSlot::interfaceName).toList());
        namespaces.removeAll(kept.stream().map(NetworkSlot::namespace).toList());
        removeByName(links, namespaces);
    }

    void removeRoute() {
        String mark = Long.toString(layout.routingMark());
        if (ruleExists()) {
            ip("rule del fwmark " + mark + " lookup " + mark);
        }
        // Fails when the table has never been used.
        HostCommand.tryRun(List.of("ip", "route", "flush", "table", mark), "");
    }

    /** Translated DNS goes to 127.0.0.1, which needs leave; the rest keeps the host from saying more than it must. */
    private static void harden(String name) throws IOException {
        Path ipv4 = SETTINGS.resolve("ipv4/conf").resolve(name);
        Files.writeString(ipv4.resolve("route_localnet"), "1");
        Files.writeString(ipv4.resolve("arp_ignore"), "1");
        Files.writeString(ipv4.resolve("send_redirects"), "0");
        Path ipv6 = SETTINGS.resolve("ipv6/conf").resolve(name).resolve("disable_ipv6");
        if (Files.exists(ipv6)) {
            Files.writeString(ipv6, "1");
        }
    }

    private static void removeByName(Collection<String> links, Collection<String> namespaces) {
        StringBuilder commands = new StringBuilder();
        for (String link : links) {
            if (Files.exists(INTERFACES.resolve(link))) {
                commands.append("link del ").append(link).append('\n');
            }
        }
        for (String namespace : namespaces) {
            if (Files.exists(NAMESPACES.resolve(namespace))) {
                commands.append("netns del ").append(namespace).append('\n');
            }
        }
        if (!commands.isEmpty()) {
            // A link also ends with the last process of its namespace, so it may be gone by now.
            HostCommand.tryRun(List.of("ip", "-force", "-batch", "-"), commands.toString());
        }
    }

    private boolean ruleExists() {
        String listing = HostCommand.run("ip", "-j", "rule", "list");
        String mark = "0x" + Long.toHexString(layout.routingMark());
        try {
            for (JsonNode rule : JSON.readTree(listing)) {
                if (rule.path("fwmark").asText().equals(mark)) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            throw new RunscException("ip rule: answer is not JSON: " + listing, e);
        }
    }

    private static List<String> names(Path folder, String prefix) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> children = Files.list(folder)) {
            return children.map(child -> child.getFileName().toString())
                    .filter(name -> name.startsWith(prefix))
                    .toList();
        } catch (IOException e) {
            throw HostCommand.unchecked(e);
        }
    }

    private static void ip(String commands) {
        HostCommand.run(List.of("ip", "-batch", "-"), commands);
    }
}
