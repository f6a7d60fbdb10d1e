/**
 * The members of the world: numbered views, each decided by compare-and-exchange of one word at each of up to five
 * ranks. Works by verbs alone; no rank runs code for another.
 */
@NullMarked
package io.atoll.view;

import org.jspecify.annotations.NullMarked;
