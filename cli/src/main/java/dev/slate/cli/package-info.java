/** The {@code slate} program. Each noun of the command line has a package of its own. */
@NullMarked
package dev.slate.cli;

import org.jspecify.annotations.NullMarked;
