/** How a heap is divided into slabs, and the table that says, word by word, what each of them is used for. */
@NullMarked
package io.atoll.heap.table;

import org.jspecify.annotations.NullMarked;
