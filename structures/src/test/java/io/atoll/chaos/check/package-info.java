/** What must hold of a history, whoever was killed meanwhile. */
@NullMarked
package io.atoll.chaos.check;

import org.jspecify.annotations.NullMarked;
