/** How gRPC endpoints run, and the in-process server for calls between services. */
@NullMarked
package dev.slate.common.grpc;

import org.jspecify.annotations.NullMarked;
