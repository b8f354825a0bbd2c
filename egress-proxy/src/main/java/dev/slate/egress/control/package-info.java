/** How the rest of the platform drives the proxy: settings, start-up and the internal API. */
@NullMarked
package dev.slate.egress.control;

import org.jspecify.annotations.NullMarked;
