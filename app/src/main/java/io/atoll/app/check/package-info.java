/** Commands that check a world that runs, from outside of it. */
@NullMarked
package io.atoll.app.check;

import org.jspecify.annotations.NullMarked;
