package dev.slate.runsc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The nftables table that is all a sandbox can reach: two ports of the proxy.
 *
 * <p>Packets are judged when they arrive at the host end of the link, before routing, so that neither the host's own
 * addresses nor other sandboxes nor forwarding are an exception. DNS is translated to 127.0.0.1, which lets the proxy
 * answer from a plain socket: the kernel puts the address that was asked back into the answer. All other TCP is handed
 * to the proxy's transparent socket, which sees the address that was dialled as its own. When the proxy does not
 * listen, the packet falls through to the drop.
 */
final class Firewall {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HostLayout layout;
    private final NetworkSettings settings;

    Firewall(HostLayout layout, NetworkSettings settings) {
        this.layout = layout;
        this.settings = settings;
    }

    /** Replaces the whole table in one step: running sandboxes are never without. */
    void install(Collection<NetworkSlot> slots) {
        String mark = Long.toString(layout.routingMark());
        String rules = """
                add table inet TABLE
                delete table inet TABLE
                table inet TABLE {
                  set slots { type ifname . ipv4_addr; }
                  set drops { type ifname; size 65536; flags dynamic; counter; }

                  chain from_sandbox {
                    iifname . ip saddr != @slots jump refuse
                    meta nfproto ipv6 jump refuse
                    ct state established ct direction reply accept
                    meta l4proto { tcp, udp } th dport 53 accept
                    meta l4proto tcp tproxy ip to 127.0.0.1:TCP_PORT meta mark set MARK accept
                    update @drops { iifname counter }
                    meta l4proto udp reject with icmp type port-unreachable
                    drop
                  }
                  chain refuse {
                    update @drops { iifname counter }
                    drop
                  }
                  chain arrival {
                    type filter hook prerouting priority mangle; policy accept;
                    iifname "PREFIX*" jump from_sandbox
                  }
                  chain dns {
                    type nat hook prerouting priority dstnat; policy accept;
                    iifname "PREFIX*" meta l4proto { tcp, udp } th dport 53 dnat ip to 127.0.0.1:DNS_PORT
                  }
                  chain forwarding {
                    type filter hook forward priority filter; policy accept;
                    iifname "PREFIX*" drop
                    oifname "PREFIX*" drop
                  }
                }
                """.replace("TABLE", layout.nftTable())
                .replace("PREFIX", layout.interfacePrefix())
                .replace("TCP_PORT", Integer.toString(settings.tcpPort()))
                .replace("DNS_PORT", Integer.toString(settings.dnsPort()))
                .replace("MARK", mark);
        nft(slots.isEmpty() ? rules : rules + change("add", slots));
    }

    void admit(Collection<NetworkSlot> slots) {
        nft(change("add", slots));
    }

    /** Repeatable: adding first makes removing always possible. */
    void expel(Collection<NetworkSlot> slots) {
        nft(change("add", slots) + change("delete", slots));
    }

    /** How many packets of the sandbox were dropped or rejected, since the table was installed. */
    long drops(NetworkSlot slot) {
        String listing = HostCommand.run("nft", "-j", "list", "set", "inet", layout.nftTable(), "drops");
        try {
            for (JsonNode entry : JSON.readTree(listing).findPath("elem")) {
                JsonNode element = entry.path("elem");
                if (element.path("val").asText().equals(slot.interfaceName())) {
                    return element.path("counter").path("packets").asLong();
                }
            }
            return 0;
        } catch (IOException e) {
            throw new RunscException("nft: answer is not JSON: " + listing, e);
        }
    }

    static void remove(HostLayout layout) {
        nft("add table inet " + layout.nftTable() + "\ndelete table inet " + layout.nftTable() + "\n");
    }

    private String change(String verb, Collection<NetworkSlot> slots) {
        String elements = slots.stream()
                .map(slot -> "\"" + slot.interfaceName() + "\" . "
                        + slot.sandboxAddress().getHostAddress())
                .collect(Collectors.joining(", "));
        return verb + " element inet " + layout.nftTable() + " slots { " + elements + " }\n";
    }

    private static void nft(String commands) {
        HostCommand.run(List.of("nft", "-f", "-"), commands);
    }
}
