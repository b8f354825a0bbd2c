/** Sign-in, and who one is. */
@NullMarked
package dev.slate.cli.identity;

import org.jspecify.annotations.NullMarked;
