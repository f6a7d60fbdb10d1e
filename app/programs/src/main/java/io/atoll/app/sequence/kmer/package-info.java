/** The k-mers in reads, without an object for each. */
@NullMarked
package io.atoll.app.sequence.kmer;

import org.jspecify.annotations.NullMarked;
