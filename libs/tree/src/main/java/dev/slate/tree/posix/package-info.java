/** The Linux system calls that NIO lacks, through the foreign function API. */
@NullMarked
package dev.slate.tree.posix;

import org.jspecify.annotations.NullMarked;
