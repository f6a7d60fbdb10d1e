/**
 * Jobs on one machine. A parent process starts a child process for each rank, listens to all of them, and leaves
 * nothing behind.
 */
@NullMarked
package io.atoll.app.job;

import org.jspecify.annotations.NullMarked;
