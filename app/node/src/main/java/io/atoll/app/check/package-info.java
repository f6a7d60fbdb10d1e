/** Commands that check a running world from outside. */
@NullMarked
package io.atoll.app.check;

import org.jspecify.annotations.NullMarked;
