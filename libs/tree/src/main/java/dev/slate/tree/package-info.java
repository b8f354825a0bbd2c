/** Immutable file trees: content-addressed bodies, metadata, scanning of directories and overlays, and checkout. */
@NullMarked
package dev.slate.tree;

import org.jspecify.annotations.NullMarked;
