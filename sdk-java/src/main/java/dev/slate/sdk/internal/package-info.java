/** How the library talks to the platform: sign-in, gRPC, HTTP. Not for users, and free to change. */
@NullMarked
package dev.slate.sdk.internal;

import org.jspecify.annotations.NullMarked;
