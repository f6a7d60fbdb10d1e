/**
 * The executable jar of the node: {@link io.atoll.app.NodeApplication} reads the command line, and starts a
 * {@link io.atoll.app.node.Node} or runs a command.
 */
@NullMarked
package io.atoll.app;

import org.jspecify.annotations.NullMarked;
