/** How REST endpoints know their caller and report failures. */
@NullMarked
package dev.slate.common.rest;

import org.jspecify.annotations.NullMarked;
