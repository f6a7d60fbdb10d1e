/** Files of sequencing reads, without a copy or an object for each read. */
@NullMarked
package io.atoll.app.sequence;

import org.jspecify.annotations.NullMarked;
