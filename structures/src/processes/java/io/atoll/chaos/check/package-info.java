/** The rules that a history must obey, whichever processes were killed meanwhile. */
@NullMarked
package io.atoll.chaos.check;

import org.jspecify.annotations.NullMarked;
