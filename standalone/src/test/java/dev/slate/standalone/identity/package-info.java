/** Tests of logins, secrets and the model gateway in the assembled platform. */
@NullMarked
package dev.slate.standalone.identity;

import org.jspecify.annotations.NullMarked;
