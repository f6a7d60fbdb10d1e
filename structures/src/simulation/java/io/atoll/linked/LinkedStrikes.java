package io.atoll.linked;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.codec.Codecs;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.PoisoningReclamation;
import io.atoll.epoch.Token;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.linked.LinkedTrial.Client;
import io.atoll.linked.LinkedTrial.Opener;
import io.atoll.world.Participant;
import io.atoll.world.Participants;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Errors that strike a push or a pop at one of its accesses to memory. Each time the structure is new, and another rank
 * empties it then.
 *
 * @param isAfter true if the answer of a verb is lost
 */
record LinkedStrikes(Guarantees guarantees, boolean isAfter, int nodesWhenEmpty, Opener opener) {

    private static final int MOST_ACCESSES = 300;
    private static final List<Integer> USERS = List.of(0, LinkedTrial.HOST);
    private static final int OTHER = 2;

    /** A process that uses the structure. */
    private record User(Participant self, EpochManager epochs, Client client) {}

    void strikeEachAccess(boolean isPush) {
        for (int user : USERS) {
            if (user == LinkedTrial.HOST && isAfter && guarantees.coherentWithCpu()) {
                continue; // no answer can be missing
            }
            int access = 1;
            while (new Strike(isPush, user, access).isMade()) {
                assertThat(++access).as("accesses").isLessThan(MOST_ACCESSES);
            }
            assertThat(access).as("accesses").isGreaterThan(2);
        }
    }

    /** Strikes the first push of all, which makes what the structure keeps when nothing is in it. */
    void strikeTheFirstPush() {
        int access = 1;
        while (isFirstPushStruck(access)) {
            assertThat(++access).as("accesses").isLessThan(MOST_ACCESSES);
        }
        assertThat(access).as("accesses").isGreaterThan(2);
    }

    private boolean isFirstPushStruck(int access) {
        var simulation = new Simulation(access, LinkedTrial.options(guarantees));
        boolean[] isStruck = new boolean[1];
        simulation.run(rank -> {
            if (rank.rank() == OTHER) {
                Unopened process = prepare(rank);
                String what = "first push struck " + (isAfter ? "after" : "at") + " access " + access;
                try (Token token = process.epochs.register()) {
                    Client first = process.open();
                    boolean[] hasReturned = new boolean[1];
                    isStruck[0] = simulation.isStruckAt(access, isAfter, () -> {
                        first.push(token, 2);
                        hasReturned[0] = true;
                    });
                    assertThat(process.self.reservations().inDoubt()).as(what).isZero();
                    Client client = process.open();
                    client.push(token, 1);
                    List<Long> popped = new ArrayList<>();
                    for (Long value = client.pop(token); value != null; value = client.pop(token)) {
                        popped.add(value);
                    }
                    assertThat(popped).as(what)
                            .containsOnlyOnceElementsOf(hasReturned[0] ? List.of(1L, 2L) : List.of(1L));
                }
                process.epochs.clear();
                assertThat(process.self.heap().usage(LinkedTrial.HOST).objects()).as("nodes: " + what)
                        .isEqualTo(nodesWhenEmpty);
            }
        });
        return isStruck[0];
    }

    /** A process before it opens the structure. */
    private final class Unopened {

        private final Participant self;
        private final Nodes<Long> nodes;
        private final EpochManager epochs;

        private Unopened(Participant self, Nodes<Long> nodes, EpochManager epochs) {
            this.self = self;
            this.nodes = nodes;
            this.epochs = epochs;
        }

        private Client open() {
            return opener.open(self, LinkedTrial.HOST, LinkedTrial.STRUCTURE, nodes, epochs);
        }
    }

    private User open(SimRank rank) {
        Unopened process = prepare(rank);
        return new User(process.self, process.epochs, process.open());
    }

    private Unopened prepare(SimRank rank) {
        var self = Participants.of(rank);
        var nodes = new Nodes<>(self.endpoint(), self.heap(), LinkedTrial.HOST, Codecs.forType(Long.class));
        long[] blocks = new long[LinkedTrial.RANKS];
        Arrays.fill(blocks, LinkedTrial.EPOCHS);
        EpochManager epochs = PoisoningReclamation.manager(self, blocks, nodes.bytes());
        return new Unopened(self, nodes, epochs);
    }

    /** One error. */
    private final class Strike {

        private static final long STRUCK = 3;

        private final boolean isPush;
        private final int user;
        private final int access;
        private final List<Long> popped = new ArrayList<>();
        private boolean hasReturned;
        private boolean isMade;

        Strike(boolean isPush, int user, int access) {
            this.isPush = isPush;
            this.user = user;
            this.access = access;
        }

        boolean isMade() {
            var simulation = new Simulation(access, LinkedTrial.options(guarantees));
            List<User> users = new ArrayList<>();
            simulation.run(rank -> {
                if (rank.rank() == user) {
                    users.add(open(rank));
                    use(simulation, users.getFirst());
                }
            });
            simulation.run(rank -> {
                if (rank.rank() == OTHER) {
                    User other = open(rank);
                    users.add(other);
                    try (Token token = other.epochs.register()) {
                        popAll(other.client, token);
                    }
                }
            });
            checkValues();
            users.forEach(process -> process.epochs.clear());
            long bags = user == LinkedTrial.HOST ? 1 : 0;
            assertThat(users.getFirst().self.heap().usage(LinkedTrial.HOST).objects()).as("nodes: " + this)
                    .isBetween((long) nodesWhenEmpty, nodesWhenEmpty + bags + (isInDoubt() ? 1 : 0));
            return isMade;
        }

        private void use(Simulation simulation, User process) {
            Token token = process.epochs.register();
            process.client.push(token, 1);
            process.client.push(token, 2);
            isMade = simulation.isStruckAt(access, isAfter, () -> {
                if (isPush) {
                    process.client.push(token, STRUCK);
                } else {
                    addIfAny(process.client.pop(token));
                }
                hasReturned = true;
            });
            assertThat(process.epochs.snapshot().ranks()).as("pins: " + this)
                    .noneMatch(rank -> rank.tokens().stream().anyMatch(known -> known.pinned()));
            assertThat(process.self.reservations().inDoubt()).as(toString()).isZero();
            process.client.push(token, 4);
            addIfAny(process.client.pop(token));
            token.close();
        }

        private void popAll(Client client, Token token) {
            Long value = client.pop(token);
            while (value != null) {
                popped.add(value);
                value = client.pop(token);
            }
            client.push(token, 5);
            assertThat(client.pop(token)).as(toString()).isEqualTo(5);
        }

        private void addIfAny(@Nullable Long value) {
            if (value != null) {
                popped.add(value);
            }
        }

        /** Returns true if one value may be missing: the pop that was struck may have taken it. */
        private boolean isInDoubt() {
            return isAfter && !isPush && !hasReturned;
        }

        private void checkValues() {
            List<Long> expected = new ArrayList<>(List.of(1L, 2L, 4L));
            if (isPush && hasReturned) {
                expected.add(STRUCK);
            }
            assertThat(popped).as(toString()).doesNotHaveDuplicates().isSubsetOf(expected);
            assertThat(popped).as(toString()).hasSizeGreaterThanOrEqualTo(expected.size() - (isInDoubt() ? 1 : 0));
        }

        @Override
        public String toString() {
            return (isPush ? "push" : "pop") + " of rank " + user + " struck " + (isAfter ? "after" : "at") + " access "
                    + access;
        }
    }
}
