package dev.slate.egress.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.slate.egress.host.HostName;
import java.net.InetAddress;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddressGuardTest {

    private static final HostName HOST = HostName.parse("mirror.example.com");
    private final AddressGuard guard = new AddressGuard(Set.of());
    private final AddressGuard withPrivate = new AddressGuard(Set.of(HOST));

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
        assertThat(guard.allows(HOST, InetAddress.ofLiteral(address))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"93.184.215.14", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:2800:220:1::1", "64:ff9b::808:808"
            })
    void allowsPublicAddresses(String address) {
        assertThat(guard.allows(HOST, InetAddress.ofLiteral(address))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.1.2.3", "192.168.1.1", "fd12:3456::1"})
    void opensPrivateRangesForNamesTheOperatorChose(String address) {
        assertThat(withPrivate.allows(HOST, InetAddress.ofLiteral(address))).isTrue();
        assertThat(withPrivate.allows(HostName.parse("other.example.com"), InetAddress.ofLiteral(address)))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "169.254.169.254", "::1", "fd00:ec2::254", "::ffff:127.0.0.1", "198.18.0.9"})
    void neverOpensLoopbackLinkLocalAndMetadata(String address) {
        assertThat(withPrivate.allows(HOST, InetAddress.ofLiteral(address))).isFalse();
    }
}
