package io.atoll.fabric;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Changes of this process that have failed and may still arrive: what connections had under way when they broke.
 * <pre>
 *   a connection breaks          another one replaces it, or the rank's process has ended
 *          |                                   |
 *   -------+---- its changes may be late ------+-------> nothing of it arrives any more
 * </pre>
 * A connection {@linkplain Connection#begin counts} before any thread learns that it has broken. So a caller that is
 * told of a failure sees that there are late changes. Reads change nothing and need not count.
 */
public final class LateVerbs {

    private @Nullable Connection latest; // the head of a list of those that count; guarded by this
    private volatile int count; // written under the monitor

    /** One connection. It counts at most once: from its first {@link #begin} to its first {@link #end}. */
    public static final class Connection {

        private enum State {
            WHOLE, LATE, OVER
        }

        private volatile @Nullable LateVerbs countedBy; // set before any thread posts to the connection
        private int rank;
        private int incarnation;
        private State state = State.WHOLE; // guarded by the one that counts
        private @Nullable Connection earlier; // guarded by the one that counts

        /** Has the connection counted from now on. Called before any thread posts to it. */
        public void countBy(LateVerbs all, int toRank, int toIncarnation) {
            rank = toRank;
            incarnation = toIncarnation;
            countedBy = all;
        }

        /** Returns the rank to which the connection leads. */
        public int rank() {
            return rank;
        }

        /**
         * From now on its changes may be late. Does nothing if they have been, or after the {@link #end}. Allocates
         * nothing: a lack of memory may be the reason.
         */
        public void begin() {
            LateVerbs all = countedBy;
            if (all != null) {
                all.begin(this);
            }
        }

        /** From now on nothing of it arrives. It never counts again. */
        public void end() {
            LateVerbs all = countedBy;
            if (all != null) {
                all.end(this);
            }
        }
    }

    private synchronized void begin(Connection broken) {
        if (broken.state == Connection.State.WHOLE) {
            broken.state = Connection.State.LATE;
            broken.earlier = latest;
            latest = broken;
            count = count + 1;
        }
    }

    private synchronized void end(Connection connection) {
        if (connection.state == Connection.State.LATE) {
            unlink(connection);
            count = count - 1;
        }
        connection.state = Connection.State.OVER;
    }

    private void unlink(Connection connection) {
        if (latest == connection) {
            latest = connection.earlier;
        }
        for (Connection each = latest; each != null; each = each.earlier) {
            if (each.earlier == connection) {
                each.earlier = connection.earlier;
            }
        }
        connection.earlier = null;
    }

    /** Returns true if changes that have failed may still arrive somewhere. */
    public boolean areAny() {
        return count != 0;
    }

    /** Returns the connections whose changes may be late. */
    public synchronized List<Connection> connections() {
        List<Connection> late = new ArrayList<>();
        for (Connection each = latest; each != null; each = each.earlier) {
            late.add(each);
        }
        return late;
    }

    /** Ends what leads to processes of the rank before that incarnation: they have ended. */
    public void endBefore(int rank, int incarnation) {
        for (Connection each : connections()) {
            if (each.rank == rank && each.incarnation < incarnation) {
                each.end();
            }
        }
    }
}
