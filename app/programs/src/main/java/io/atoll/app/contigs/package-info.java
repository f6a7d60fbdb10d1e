/** The job that joins sequencing reads as far as nothing is ambiguous (BCL, section 9.2.1). */
@NullMarked
package io.atoll.app.contigs;

import org.jspecify.annotations.NullMarked;
