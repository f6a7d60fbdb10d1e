/** The job that sorts integers over all ranks (BCL, section 9.1). */
@NullMarked
package io.atoll.app.isx;

import org.jspecify.annotations.NullMarked;
