package io.atoll.map;

import io.atoll.process.Program;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code fill FOLDER RANK} begins to fill; {@code end} waits for what it has begun. */
final class BufferProgram implements Program {

    private @Nullable BufferFiller filler;

    @Override
    public String obey(String command, List<String> arguments) throws Exception {
        BufferFiller begun = filler;
        if (begun == null) {
            begun = new BufferFiller(Path.of(arguments.getFirst()), Integer.parseInt(arguments.get(1)));
            filler = begun;
            begun.start();
            return "" + begun.incarnation();
        }
        begun.join();
        return "ended";
    }

    @Override
    public void close() {
        if (filler != null) {
            filler.close();
        }
    }
}
