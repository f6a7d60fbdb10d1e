package io.atoll.collective;

import io.atoll.background.BackgroundThreads;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import io.atoll.world.Participant;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * The collectives of a world. A caller can hold it before the world is whole; the first use of each collective waits.
 */
public final class Collectives implements AutoCloseable {

    /** Approximate costs: of one host's memory, and of a network card. */
    private static final LogGP MEMORY = new LogGP(100, 200, 200, 0.1, 0);
    private static final LogGP NETWORK = new LogGP(1_500, 300, 300, 0.1, 0);

    private final Supplier<Participant> participant;
    private final CollectiveSettings settings;
    private final Broadcaster broadcaster;
    private final CollectiveLog log = new CollectiveLog();

    /**
     * @param world the world's name
     * @param participant this process's part in it, asked for at the first use
     * @param background the place where its thread is supervised
     */
    public Collectives(String world, Supplier<Participant> participant, CollectiveSettings settings,
            BackgroundThreads background) {
        this.participant = participant;
        this.settings = settings;
        this.broadcaster = new Broadcaster(world, settings.pollInterval(), background);
    }

    /** Begins to open a window of that name, through which each member of a team can send to all others. */
    public Broadcast.Builder broadcast(String name) {
        return new Broadcast.Builder(name, participant, broadcaster, this::costs, log, settings);
    }

    /**
     * Begins to open an exchange of that name: barriers, reductions, gathering and scattering, for a team all of whose
     * members call them.
     */
    public Exchange.Builder exchange(String name) {
        return new Exchange.Builder(name, participant, this::costs, log, settings);
    }

    /** Returns the log of the collectives that this process has begun. */
    public CollectiveLog log() {
        return log;
    }

    /**
     * Returns the costs by which algorithms are chosen: those of the settings, else those of the fabric. With the
     * latter, a member that passes on sees a request half an interval late.
     */
    public LogGP costs() {
        return settings.costs().orElseGet(() -> {
            LogGP fabric = reachesAllAtOnce(participant.get().endpoint()) ? MEMORY : NETWORK;
            double late = settings.pollInterval().toNanos() / 2.0;
            return new LogGP(fabric.latency(), fabric.overhead(), fabric.gap(), fabric.gapPerByte(), late);
        });
    }

    /**
     * Returns true if verbs to all ranks execute at once. If one rank is across a network, its verbs decide what a
     * collective takes.
     */
    private static boolean reachesAllAtOnce(Endpoint endpoint) {
        return IntStream.range(0, endpoint.size()).allMatch(endpoint::executesAtOnce);
    }

    /**
     * Measures what sending costs on the fabric at hand, between ranks 0 and 1. Every rank calls it at the same time,
     * and gets the same result. Collectives that are open go on as before: see {@link CollectiveSettings} and {@link
     * Broadcast.Builder#costs}. It takes part of a second. Ranks 0 and 1 give {@code regionBytes} of memory to it for
     * good.
     *
     * @param regionBytes how much memory pieces come from: about what will be broadcast, if that is more than caches
     * have room for
     * @throws io.atoll.failure.RankUnreachableException when a rank is lost meanwhile
     * @throws IllegalArgumentException when there are no two ranks
     */
    public LogGP measureCosts(long regionBytes) throws InterruptedException {
        Broadcast tree = broadcast("collective.measurement.tree").team(Team.of(0, 1))
                .bytes(Layouts.WORD)
                .algorithm(Algorithm.BINOMIAL)
                .openLazily();
        return new CostMeasurement(participant.get(), tree, regionBytes).run();
    }

    /** Ends the broadcaster's thread. */
    @Override
    public void close() {
        broadcaster.close();
    }
}
