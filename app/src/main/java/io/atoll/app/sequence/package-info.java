/** Files of sequencing reads, and the k-mers in them, without a copy or an object per read. */
@NullMarked
package io.atoll.app.sequence;

import org.jspecify.annotations.NullMarked;
