package io.atoll.chaos;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.WorldBuilder;
import io.atoll.chaos.history.Recorder;
import io.atoll.chaos.workload.Cast;
import io.atoll.chaos.workload.Scene;
import io.atoll.chaos.workload.Setting;
import io.atoll.chaos.workload.Workload;
import io.atoll.epoch.EpochSettings;
import io.atoll.fabric.FabricType;
import io.atoll.fabric.tcp.Security;
import io.atoll.fabric.tcp.Tcp;
import io.atoll.world.Membership;
import io.atoll.world.hazelcast.HazelcastMembership;
import io.atoll.world.hazelcast.HazelcastSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A rank that uses all structures at once. It is a function of words, since its class loader may differ from its
 * caller's.
 */
public final class Rank implements BiFunction<String, List<String>, String> {

    /** The age from which on an operation looks late. */
    private static final Duration LATE = Duration.ofSeconds(2);
    private static final long REST_MILLIS = 15_000;
    private static final long WITHDRAWAL_MILLIS = 20_000;
    private static final long HISTORY_SLOTS = 1 << 21;
    private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration LONGEST_JOIN = Duration.ofSeconds(40);

    private static final Duration SILENCE_TIMEOUT = Duration.ofSeconds(2);
    private static final long LONGEST_PEACE_NANOS = 20_000_000;

    private final List<Workload> workloads = new ArrayList<>();
    private @Nullable World world;
    private @Nullable Thread interrupter;
    private @Nullable Scene scene;
    private @Nullable RevocableMembership membership;

    @Override
    public String apply(String command, List<String> arguments) {
        try {
            return switch (command) {
                case "open" -> open(Setting.of(arguments));
                case "work" -> work();
                case "late" -> late();
                case "join" -> join();
                case "removed" -> "" + world().refusal().isPresent();
                case "calm" -> calm();
                case "watch" -> watch(arguments);
                case "withdraw" -> withdraw();
                case "verdict" -> verdict();
                case "rest" -> rest();
                case "drain" -> drain(arguments.getFirst());
                case "leave" -> leave();
                default -> throw new IllegalArgumentException("no such command: command=" + command);
            };
        } catch (RuntimeException failure) {
            throw failure;
        } catch (Exception failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** Returns when all ranks are there, or fails soon. */
    private String join() throws InterruptedException {
        world().peers().awaitAll(LONGEST_JOIN);
        return "joined";
    }

    private World world() {
        if (world == null) {
            throw new IllegalStateException("no world is open");
        }
        return world;
    }

    private Scene scene() {
        if (scene == null) {
            throw new IllegalStateException("no world is open");
        }
        return scene;
    }

    private String open(Setting setting) throws IOException {
        WorldBuilder builder = World.named(setting.folder().getFileName().toString())
                .size(setting.size())
                .rank(setting.rank())
                .segment(setting.segmentBytes())
                .fabric(fabric(setting))
                .joinTimeout(JOIN_TIMEOUT)
                .operationTimeout(Setting.OPERATION_TIMEOUT)
                .epochs(EpochSettings.DEFAULT.reclaimEvery(64));
        var chosen = new RevocableMembership(setting.port() > 0
                ? new HazelcastMembership(HazelcastSettings.defaults()
                        .withPort(setting.port())
                        .withHeartbeat(Duration.ofSeconds(1), Setting.HEARTBEAT_TIMEOUT))
                : Membership.ofOneHost());
        membership = chosen;
        World opened = builder.membership(chosen).open();
        world = opened;
        scene = new Scene(opened, setting, new Recorder(setting.history(), HISTORY_SLOTS));
        Cast.of(scene).stream().filter(workload -> setting.isUsed(workload.structure())).forEach(workloads::add);
        return "incarnation=" + opened.incarnation();
    }

    private static FabricType fabric(Setting setting) {
        if (setting.fabric().equals(Setting.SHARED_MEMORY)) {
            return Fabrics.sharedMemory(setting.folder(), false);
        }
        List<InetSocketAddress> addresses = setting.addresses();
        // A rank that is alone in its folder comes back to its segment.
        return new Tcp(Fabrics.sharedMemory(setting.folder(), !addresses.isEmpty())).withoutSharedMemory()
                .silenceTimeout(SILENCE_TIMEOUT)
                .security(Security.none())
                .at(addresses);
    }

    private String work() {
        workloads.forEach(Workload::start);
        if (scene().setting.interrupts()) {
            interrupter = Thread.ofPlatform().name("chaos-interrupter").daemon().start(() -> interrupt(scene()));
        }
        return "working";
    }

    /** Interrupts one thread at a time, as long as there are faults. */
    private void interrupt(Scene disturbed) {
        var random = new SplittableRandom(disturbed.setting.seed());
        while (disturbed.isDisturbed()) {
            LockSupport.parkNanos(random.nextLong(LONGEST_PEACE_NANOS));
            workloads.get(random.nextInt(workloads.size())).interrupt();
        }
    }

    /** Returns the operations that have been under way for long, and since when. */
    private String late() {
        long now = System.nanoTime();
        return workloads.stream()
                .map(Workload::underWay)
                .filter(text -> !text.isEmpty())
                .filter(text -> now - Long.parseLong(text.substring(0, text.indexOf(' '))) > LATE.toNanos())
                .collect(Collectors.joining(";"));
    }

    /** Returns when no thread will be interrupted any more. */
    private String calm() throws InterruptedException {
        scene().calm();
        if (interrupter != null) {
            interrupter.join();
        }
        return "calm";
    }

    private String watch(List<String> gone) {
        scene().watch(gone.stream().map(Integer::valueOf).collect(Collectors.toSet()));
        return "watching";
    }

    /** Returns when this process knows that it no longer takes part. */
    private String withdraw() throws InterruptedException {
        World used = world();
        RevocableMembership revoked = Objects.requireNonNull(membership);
        scene().beginToWithdraw();
        revoked.revoke();
        long deadline = System.nanoTime() + WITHDRAWAL_MILLIS * 1_000_000;
        while (used.refusal().isEmpty()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("takes part though its membership has withdrawn it");
            }
            Thread.sleep(1);
        }
        scene().withdraw();
        return "withdrawn";
    }

    private String verdict() {
        List<String> idle = workloads.stream()
                .map(Workload::name)
                .filter(name -> !scene().successes().containsKey(name))
                .toList();
        return "failures=" + scene().failures() + " late=" + scene().late() + " idle=" + idle;
    }

    /** Returns when no operation is under way, or says which ones are. */
    private String rest() throws InterruptedException {
        scene().rest();
        workloads.forEach(Workload::hurry);
        long deadline = System.nanoTime() + REST_MILLIS * 1_000_000;
        List<String> running = new ArrayList<>();
        for (Workload workload : workloads) {
            long left = Math.max(1, (deadline - System.nanoTime()) / 1_000_000);
            if (!workload.hasEnded(left)) {
                running.add(workload.underWay());
            }
        }
        return String.join(";", running);
    }

    private String drain(String structure) throws Exception {
        for (Workload workload : workloads) {
            if (workload.name().startsWith(structure + "-")) {
                workload.drain();
            }
        }
        return "drained";
    }

    /** Leaves in order, but in the middle of operations: locks are held, tokens are pinned. */
    private String leave() {
        if (scene != null) {
            scene.print();
            scene.leave();
        }
        if (world != null) {
            world.close();
            world = null;
        }
        return "left";
    }
}
