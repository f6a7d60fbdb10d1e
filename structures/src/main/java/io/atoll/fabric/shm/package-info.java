/** The fabric between processes of one host: each maps the segment files of all. */
@NullMarked
package io.atoll.fabric.shm;

import org.jspecify.annotations.NullMarked;
