/** Tells an operator what this host lacks, and what to do about it. */
@NullMarked
package dev.slate.runsc.doctor;

import org.jspecify.annotations.NullMarked;
