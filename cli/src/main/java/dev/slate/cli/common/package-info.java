/** What all commands share: the call to the platform, output as text or JSON, and reading what users type. */
@NullMarked
package dev.slate.cli.common;

import org.jspecify.annotations.NullMarked;
