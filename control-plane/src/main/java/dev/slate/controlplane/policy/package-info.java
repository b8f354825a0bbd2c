/** What a sandbox may reach on the network, as the user wrote it and as it is in force. */
@NullMarked
package dev.slate.controlplane.policy;

import org.jspecify.annotations.NullMarked;
