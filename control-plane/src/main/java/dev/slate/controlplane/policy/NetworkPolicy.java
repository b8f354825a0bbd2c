package dev.slate.controlplane.policy;

import com.google.protobuf.ByteString;

/**
 * What a sandbox may reach, in the canonical form of the egress proxy, which alone knows what a policy means. Two
 * policies that mean the same are equal.
 */
public record NetworkPolicy(ByteString encoded) {
    /** What holds when a specification says nothing: the public internet. */
    public static NetworkPolicy shippedDefault() {
        return NetworkPolicyProto.OPEN;
    }
}
