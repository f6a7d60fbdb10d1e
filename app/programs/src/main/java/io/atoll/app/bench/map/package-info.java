/** Maps: each row of the paper's figure 9, counted finds, and growth. */
@NullMarked
package io.atoll.app.bench.map;

import org.jspecify.annotations.NullMarked;
