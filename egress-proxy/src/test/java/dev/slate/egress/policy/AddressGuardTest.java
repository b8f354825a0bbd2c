package dev.slate.egress.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.slate.egress.host.HostName;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressGuardTest {

    private static final HostName HOST = HostName.parse("mirror.example.com");
    private final AddressGuard guard = new AddressGuard(Set.of(), List.of(Cidr.parse("10.231.0.0/16")));
    private final AddressGuard withPrivate = new AddressGuard(Set.of(HOST), List.of());

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "10.1.2.3",
                "100.64.0.1",
                "127.0.0.1",
                "169.254.169.254",
                "172.16.0.1",
                "172.31.255.255",
                "192.0.0.192",
                "192.168.1.1",
                "198.18.0.1",
                "198.19.255.255",
                "192.0.2.1",
                "224.0.0.1",
                "240.0.0.1",
                "255.255.255.255",
                "168.63.129.16",
                "100.100.100.200",
                "::",
                "::1",
                "fe80::1",
                "fec0::1",
                "fc00::1",
                "fd00:ec2::254",
                "fd20:ce::254",
                "ff02::1",
                "2001:db8::1",
                "2001::1",
                "::ffff:10.0.0.1",
                "::10.0.0.1",
                "::ffff:0:169.254.169.254",
                "2002:a9fe:a9fe::1",
                "64:ff9b::a9fe:a9fe",
                "64:ff9b:1::a00:1"
            })
    void refusesAddressesThatAreNotPublic(String address) {
        assertThat(allows(guard, HOST, address, AddressRules.NONE)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"93.184.215.14", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:2800:220:1::1", "64:ff9b::808:808"
            })
    void allowsPublicAddresses(String address) {
        assertThat(allows(guard, HOST, address, AddressRules.NONE)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.1.2.3", "192.168.1.1", "fd12:3456::1"})
    void opensPrivateRangesForNamesTheOperatorChose(String address) {
        assertThat(allows(withPrivate, HOST, address, AddressRules.NONE)).isTrue();
        assertThat(allows(withPrivate, HostName.parse("other.example.com"), address, AddressRules.NONE))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "169.254.169.254", "::1", "fd00:ec2::254", "::ffff:127.0.0.1", "198.18.0.9"})
    void neverOpensLoopbackLinkLocalAndMetadata(String address) {
        assertThat(allows(withPrivate, HOST, address, AddressRules.NONE)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.2.3, 5432, true",
        "10.1.2.3, 5433, false",
        "10.2.0.1, 5432, false",
        "10.1.9.1, 5432, false",
        "93.184.215.14, 443, true",
        "93.184.216.1, 443, false",
        "::ffff:0:10.1.2.3, 5432, false",
        "64:ff9b::5db8:d801, 443, false",
        "169.254.169.254, 5432, false",
        "127.0.0.1, 5432, false",
        "10.231.0.6, 5432, false",
        "192.168.7.7, 80, true",
    })
    void routesOpenPrivateRangesAndDeniedRangesWin(String address, int port, boolean allowed) {
        var rules = new AddressRules(
                Set.of(),
                List.of(
                        new Route(Cidr.parse("10.1.0.0/16"), List.of(new PortRange(5432, 5432))),
                        new Route(Cidr.parse("10.231.0.0/16"), List.of()),
                        new Route(Cidr.parse("192.168.0.0/16"), List.of())),
                List.of(Cidr.parse("10.1.9.0/24"), Cidr.parse("93.184.216.0/24")));

        assertThat(guard.check(HOST, InetAddress.ofLiteral(address), port, rules) instanceof AddressGuard.Verdict.Fine)
                .isEqualTo(allowed);
    }

    @Test
    void saysWhichRangeIsAgainstItAndWhatWouldHelp() {
        var denied = new AddressRules(Set.of(), List.of(), List.of(Cidr.parse("10.0.0.0/8")));

        assertThat(guard.check(HOST, InetAddress.ofLiteral("10.1.2.3"), 443, AddressRules.NONE))
                .isEqualTo(new AddressGuard.Verdict.Refused(
                        Reason.ADDRESS_REFUSED,
                        "10.1.2.3 is private, in 10.0.0.0/8, and no route of the policy covers it"));
        assertThat(withPrivate.check(HOST, InetAddress.ofLiteral("10.1.2.3"), 443, denied))
                .isEqualTo(new AddressGuard.Verdict.Refused(
                        Reason.ADDRESS_DENIED, "10.1.2.3 is in 10.0.0.0/8, which the policy denies"));
    }

    private static boolean allows(AddressGuard guard, HostName host, String address, AddressRules rules) {
        return guard.check(host, InetAddress.ofLiteral(address), 443, rules) instanceof AddressGuard.Verdict.Fine;
    }
}
