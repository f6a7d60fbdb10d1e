/**
 * The fabric between hosts that have TCP. The owner of a segment has threads that execute the verbs of other ranks,
 * with the atomics of its CPU.
 *
 * <p>Read in this order:
 * <ol>
 * <li>{@code TcpFabric} and {@code TcpBatch}: the verbs. {@code VerbList} has the verbs under way of one thread.
 * <li>{@code Frame}: the bytes on a connection.
 * <li>{@code TcpLane}: the connection, at the process that calls verbs. {@code Window} and {@code Spin} make it fast,
 * {@code LaneMonitor} notices when its rank is silent. {@code LaneReader} reads answers for virtual threads.
 * <li>{@code Listener}, {@code AcceptedConnection} and {@code RequestAnswerer}: the same connection, at the owner.
 * {@code FrameExecutor} executes the verbs.
 * <li>{@code Wire}: how bytes reach the socket, plain or encrypted. {@code TcpConnector} makes connections.
 * <li>{@code Tcp} has the settings.
 * </ol>
 */
@NullMarked
package io.atoll.fabric.tcp;

import org.jspecify.annotations.NullMarked;
