/** What a world looks like from one of its ranks: records for consoles, health and endpoints. */
@NullMarked
package io.atoll.spring.state;

import org.jspecify.annotations.NullMarked;
