/** The model gateway: an OpenAI-compatible endpoint with its own keys in front of the providers' connections. */
@NullMarked
package dev.slate.controlplane.router;

import org.jspecify.annotations.NullMarked;
