/**
 * Locks for all ranks that do not hang when a rank dies: the asymmetric lock of ALock and the distributed lock table.
 *
 * <p>Read in this order:
 * <ol>
 * <li>{@link io.atoll.lock.LockTable} is what applications use; {@code OpenTable} is a table that this process has
 * opened.
 * <li>The words in the segments: {@code LockLine} and {@code Tail} of a lock, {@code Descriptor}, {@code Phase} and
 * {@code Grant} of a request, {@code CountLine} of what is counted, {@code TableLayout} of the whole.
 * <li>{@code QueueLock}: two queues, one of the owner's threads ({@code LocalCohort}) and one of all others
 * ({@code RemoteCohort}), and the budget that lets them take turns ({@code Contest}). {@code OwnLocks} is the short way
 * of the owner.
 * <li>What becomes of a queue when a rank dies: {@code Repair}, {@code LeftPlaces}, {@code Departure}, {@code Keeper}.
 * <li>What others may see and ask for: {@link io.atoll.lock.LockView}, {@link io.atoll.lock.LockState},
 * {@code WaitGraph}; {@link io.atoll.lock.ForcedUnlock} and the mailbox that carries it ({@code Demand},
 * {@code Demander}, {@code Demands}, {@code Note}).
 * <li>{@code SpinLock} is there to compare with.
 * </ol>
 */
@NullMarked
package io.atoll.lock;

import org.jspecify.annotations.NullMarked;
