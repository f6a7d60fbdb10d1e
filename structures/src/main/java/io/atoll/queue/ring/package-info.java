/** The ring of tickets that circular queues are made of: who may push, who may pop, and what is left of those who die. */
@NullMarked
package io.atoll.queue.ring;

import org.jspecify.annotations.NullMarked;
