/** Jobs on one machine: a parent process that starts a child process for each rank, listens to them, and leaves nothing behind. */
@NullMarked
package io.atoll.app.job;

import org.jspecify.annotations.NullMarked;
