/**
 * Locks for all ranks that do not hang when a rank dies: the asymmetric lock of ALock and the distributed lock table.
 *
 * <p>Read in this order:
 * <ol>
 * <li>Applications use {@link io.atoll.lock.LockTable}. {@code OpenLockTable} is a table that this process has opened.
 * <li>The words in the segments: {@code LockLine} and {@code Tail} of a lock; {@code Descriptor}, {@code Phase} and
 * {@code Grant} of a request; {@code CountLine} of the counts; {@code TableLayout} of the whole.
 * <li>{@code Descriptors} reads and writes the requests of all ranks. {@code DescriptorPool} gives the own descriptors
 * to threads. {@code LostSegments} tells how the locks of a lost segment are left.
 * <li>{@code QueueLock} has two queues. One is for the owner's threads ({@code LocalCohort}), the other for all other
 * threads ({@code RemoteCohort}). A budget lets them take turns. {@code Contest} tells a thread that only tries whether
 * it has lost. {@code LocalFastPath} is the short way of the owner. A thread has a lock by a {@code Hold}, which knows
 * how it is released: {@code LocalHold} of the short way, {@code QueuedHold} of a queue.
 * <li>The repair of a queue when a rank dies: {@code QueueRepair}, {@code LeftPlaces}, {@code ReleaseTask}, {@code
 * BackgroundTasks}.
 * <li>What other ranks may see and ask for: {@link io.atoll.lock.LockView}, {@link io.atoll.lock.LockState},
 * {@code WaitGraph}. A {@link io.atoll.lock.ForcedUnlock} uses a mailbox ({@code Demand}, {@code Demander},
 * {@code Demands}, {@code Note}).
 * <li>{@code SpinLock} exists for comparison only.
 * </ol>
 */
@NullMarked
package io.atoll.lock;

import org.jspecify.annotations.NullMarked;
