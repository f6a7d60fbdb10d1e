/**
 * The executable jar that contains everything: {@link io.atoll.app.programs.AtollApplication} is the node with the
 * programs of the papers and the benchmarks as further commands. Each of these is a job of several ranks.
 */
@NullMarked
package io.atoll.app.programs;

import org.jspecify.annotations.NullMarked;
