package io.atoll.peers;

import com.hazelcast.core.HazelcastInstance;
import io.atoll.World;
import io.atoll.process.Program;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The process that is measured against: rank 1 of each world, or the second member of Hazelcast. */
final class OtherProcess implements Program {

    private final List<World> worlds = new ArrayList<>();
    private @Nullable HazelcastInstance member;

    @Override
    public String obey(String command, List<String> arguments) throws Exception {
        return switch (command) {
            case "open" -> open(Worlds.Kind.valueOf(arguments.get(0)), Path.of(arguments.get(1)));
            case "connect" -> connect(Integer.parseInt(arguments.getFirst()));
            case "hazelcast" -> hazelcast(Integer.parseInt(arguments.getFirst()));
            default -> throw new IllegalArgumentException("no such command: command=" + command);
        };
    }

    private String open(Worlds.Kind kind, Path folder) {
        worlds.add(kind.open(folder, 1));
        return "open";
    }

    /** Uses this number of lanes to the other rank of the last world. */
    private String connect(int lanes) throws InterruptedException {
        Idle.connect(worlds.getLast(), 0, lanes);
        return "connected";
    }

    private String hazelcast(int port) {
        member = Worlds.hazelcast(port, 1);
        return "member";
    }

    @Override
    public void close() {
        worlds.forEach(World::close);
        if (member != null) {
            member.shutdown();
        }
    }
}
