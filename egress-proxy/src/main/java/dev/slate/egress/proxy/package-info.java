/** The data path: reads who a connection is for, decides on one snapshot, then denies, splices or terminates it. */
@NullMarked
package dev.slate.egress.proxy;

import org.jspecify.annotations.NullMarked;
