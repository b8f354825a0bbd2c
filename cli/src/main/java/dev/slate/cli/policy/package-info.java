/** Network policies: options that describe one, and what one decides. */
@NullMarked
package dev.slate.cli.policy;

import org.jspecify.annotations.NullMarked;
