package io.atoll.history;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.process.Program;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A rank of two that keeps a history. */
final class HistoryProgram implements Program {

    private @Nullable World world;

    /** Opens a world that keeps its files. Its segment is as large as the test's. */
    static World open(Path folder, int rank) {
        return World.named("kept")
                .size(2)
                .rank(rank)
                .segment(4 << 20)
                .fabric(Fabrics.sharedMemory(folder, false))
                .history(true)
                .open();
    }

    @Override
    public String obey(String command, List<String> arguments) throws Exception {
        return switch (command) {
            case "open" -> {
                World opened = open(Path.of(arguments.get(0)), Integer.parseInt(arguments.get(1)));
                world = opened;
                yield "" + opened.incarnation();
            }
            case "points" -> "" + Optional.ofNullable(world)
                    .flatMap(each -> each.inspection().history(Integer.parseInt(arguments.get(0))))
                    .map(history -> history.points().size())
                    .orElse(0);
            default -> throw new IllegalArgumentException(command);
        };
    }

    @Override
    public void close() {
        World opened = world;
        if (opened != null) {
            opened.close();
        }
    }
}
