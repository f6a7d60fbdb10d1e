/** What lies on the host: the files of a world's segments, whose they are, and the locks that prove who lives. */
@NullMarked
package io.atoll.fabric.shm.file;

import org.jspecify.annotations.NullMarked;
