package io.atoll.fabric.sim;

import io.atoll.fabric.Fabric;
import io.atoll.fabric.FabricContract;
import io.atoll.fabric.Guarantees;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A simulated fabric keeps what it declares. Liberties that a real fabric may take make no difference. */
@ParameterizedClass
@MethodSource("worlds")
@Tag("simulation")
class SimFabricTest extends FabricContract {

    private static final int ABSENT = 2;

    private final Simulation simulation;

    static Stream<Arguments> worlds() {
        return SimOptions.EVERY_FABRIC.stream()
                .flatMap(guarantees -> LongStream.rangeClosed(1, 5).mapToObj(seed -> Arguments.of(guarantees, seed)));
    }

    SimFabricTest(Guarantees guarantees, long seed) {
        SimOptions options = SimOptions.ranks(3)
                .guarantees(guarantees)
                .segmentBytes(128 << 10)
                .pauses(0.01)
                .killAt(ABSENT, 1)
                .segmentsDieWithRanks()
                .maximumSteps(2_000_000);
        simulation = Simulation.run(seed, options, rank -> rank.fabric().clock().pause(0));
    }

    @Override
    public Fabric fabric(int rank) {
        return simulation.fabric(rank);
    }

    @Override
    public void together(List<Actor> actors) {
        simulation.run(rank -> {
            List<Actor> own = actors.stream().filter(actor -> actor.rank() == rank.rank()).toList();
            rank.inParallel(own.size(), i -> own.get(i).body().run(rank.fabric()));
        });
    }

    @Override
    public int absentRank() {
        return ABSENT;
    }

    @Override
    public long freeOffset() {
        return 64;
    }

    @Override
    public boolean readsWaitForWrites() {
        return !fabric(0).guarantees().coherentWithCpu();
    }

    @Override
    public int rounds() {
        return 20;
    }
}
