/** What a world looks like from one of its ranks: records for whoever shows it. */
@NullMarked
package io.atoll.spring.state;

import org.jspecify.annotations.NullMarked;
