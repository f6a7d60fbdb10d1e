/** Memory in limbo. */
@NullMarked
package io.atoll.app.bench.reclamation;

import org.jspecify.annotations.NullMarked;
