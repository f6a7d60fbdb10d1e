package io.atoll;

import io.atoll.completion.Completions;
import io.atoll.fabric.FabricType;
import io.atoll.fabric.tcp.Security;
import io.atoll.fabric.tcp.Tcp;
import io.atoll.failure.FabricException;
import io.atoll.filter.BloomFilter;
import io.atoll.map.AsyncLongLongMap;
import io.atoll.map.DistributedMap;
import io.atoll.world.Membership;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.function.BiConsumer;

/**
 * Two ranks. A thread of the container uses every structure of both, also after rank 0 was told that it takes part no
 * more.
 */
abstract class ReplacedApplication implements BiConsumer<ExecutorService, Path> {

    static final class OverSharedMemory extends ReplacedApplication {
        @Override
        FabricType fabric(Path folder) {
            return Fabrics.sharedMemory(folder, false);
        }
    }

    static final class OverTcp extends ReplacedApplication {
        @Override
        FabricType fabric(Path folder) {
            return new Tcp(Fabrics.sharedMemory(folder, false)).withoutSharedMemory().security(Security.none());
        }
    }

    /** The application's own class: Atoll makes a codec for it. */
    private record Place(int row, String name) {}

    abstract FabricType fabric(Path folder);

    @Override
    public void accept(ExecutorService container, Path folder) {
        var membership = new RefusingMembership();
        try (World world = open(0, membership, folder);
                World other = open(1, Membership.ofOneHost(), folder);
                var completions = new Completions(8)) {
            List<Runnable> operations = new ArrayList<>();
            for (World each : List.of(world, other)) {
                for (EveryStructure structure : EveryStructure.values()) {
                    operations.add(structure.operation(each, structure.name()));
                }
                addOperationsWithCodecs(each, operations);
                addAsynchronousOperation(each, completions, operations);
                operations.add(() -> each.epochs().pin().unpin());
            }
            complete(container, () -> operations.forEach(Runnable::run));
            membership.refuse();
            while (world.refusal().isEmpty()) {
                Thread.onSpinWait();
            }
            complete(container, () -> operations.forEach(ReplacedApplication::runRefused));
        }
    }

    private World open(int rank, Membership membership, Path folder) {
        return World.named("replaced")
                .size(2)
                .rank(rank)
                .segment(16 << 20)
                .membership(membership)
                .fabric(fabric(folder))
                .open();
    }

    private static void addOperationsWithCodecs(World world, List<Runnable> operations) {
        DistributedMap<UUID, Place> places = world.map("places", UUID.class, Place.class).openLazily();
        BloomFilter<UUID> seen = world.filter("seen", UUID.class).openLazily();
        operations.add(() -> places.put(new UUID(1, 2), new Place(3, "four")));
        operations.add(() -> seen.add(new UUID(1, 2)));
    }

    private static void addAsynchronousOperation(World world, Completions completions, List<Runnable> operations) {
        AsyncLongLongMap counts = world.longMap("counts").openLazily().async(completions);
        operations.add(() -> {
            counts.put(1, 2);
            completions.join();
        });
    }

    private static void complete(ExecutorService container, Runnable task) {
        try {
            container.submit(task).get();
        } catch (InterruptedException | ExecutionException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static void runRefused(Runnable operation) {
        try {
            operation.run();
        } catch (FabricException refused) {
            // as all of rank 0 are, and by TCP those of rank 1 that need it
        }
    }
}
