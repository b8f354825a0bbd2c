/** The resolver of all sandboxes: it answers every question by itself and forwards none. */
@NullMarked
package dev.slate.egress.dns;

import org.jspecify.annotations.NullMarked;
