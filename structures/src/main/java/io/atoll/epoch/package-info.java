/** Epoch-based reclamation: objects that were unlinked are freed when nobody can hold a pointer to them any more. */
@NullMarked
package io.atoll.epoch;

import org.jspecify.annotations.NullMarked;
