package io.atoll.peers;

import com.hazelcast.core.HazelcastInstance;
import io.atoll.World;
import io.atoll.process.ChildProcess;
import io.atoll.process.Program;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A process that calls one of those that are compared, and measures it. */
final class CallingProcess implements Program {

    private final Map<String, Subject> subjects = new HashMap<>();
    private final Map<String, Rounds.Operation> operations = new HashMap<>();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private @Nullable HazelcastInstance member;

    /** The process as another one sees it, which asks it for medians of one subject. */
    record Caller(ChildProcess process, String subject) {

        Rounds.MedianOf median(Work work) {
            String command = "measure " + subject + " " + work.name() + " ";
            return turn -> Long.parseLong(process.ask(command + turn));
        }
    }

    @Override
    public String obey(String command, List<String> arguments) throws Exception {
        return switch (command) {
            case "atoll" -> atoll(Worlds.Kind.valueOf(arguments.get(0)), Path.of(arguments.get(1)));
            case "redis" -> redis(Integer.parseInt(arguments.getFirst()));
            case "hazelcast" -> hazelcast(Integer.parseInt(arguments.getFirst()));
            case "partitions" -> partitions();
            case "measure" ->
                "" + medianNanos(arguments.get(0), Work.valueOf(arguments.get(1)), Integer.parseInt(arguments.get(2)));
            default -> throw new IllegalArgumentException("no such command: command=" + command);
        };
    }

    private String atoll(Worlds.Kind kind, Path folder) {
        World world = kind.open(folder, 0);
        opened.add(world);
        Worlds.connect(world);
        subjects.put(AtollLongs.MAP, new AtollLongs(world));
        subjects.put(AtollObjects.MAP, new AtollObjects(world));
        return "open";
    }

    private String redis(int port) throws Exception {
        BareRedis bare = new BareRedis(port);
        opened.add(bare);
        subjects.put(Comparison.REDIS, new RedisCommands(bare));
        LettuceRedis lettuce = new LettuceRedis(port);
        opened.add(lettuce);
        subjects.put(Comparison.LETTUCE, lettuce);
        return "connected";
    }

    private String hazelcast(int port) {
        HazelcastInstance started = Worlds.hazelcast(port, 0);
        opened.add(started::shutdown);
        member = started;
        return "member";
    }

    /** Waits until the other member has its partitions. */
    private String partitions() throws InterruptedException {
        subjects.put(Comparison.HAZELCAST, new HazelcastMember(Objects.requireNonNull(member)));
        return "divided";
    }

    private long medianNanos(String subject, Work work, int turn) throws Exception {
        Rounds.Operation operation = operations.computeIfAbsent(subject + " " + work,
                _ -> subjects.get(subject).operation(work));
        return Rounds.medianNanos(operation, work.operations(), turn);
    }

    @Override
    public void close() {
        for (AutoCloseable each : opened) {
            try {
                each.close();
            } catch (Exception failure) {
                throw new IllegalStateException("cannot be closed: " + each, failure);
            }
        }
    }
}
