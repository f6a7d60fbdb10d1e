/** The job that counts k-mers in a map over all ranks (BCL, section 9.2.2). */
@NullMarked
package io.atoll.app.kmer;

import org.jspecify.annotations.NullMarked;
