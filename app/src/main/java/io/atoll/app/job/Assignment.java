package io.atoll.app.job;

import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the parent tells a rank, once, at the beginning of its standard input: who it is and what to do. Both run the same classes. */
record Assignment(int rank, int size, String folder, @Nullable String unfinished, JobRank.Program program)
        implements
            Serializable {

    static Assignment of(int rank, int size, JobFiles files, JobRank.Program program) {
        return new Assignment(rank, size, files.folder().toString(),
                files.unfinished().map(Path::toString).orElse(null),
                program);
    }

    JobFiles files() {
        return new JobFiles(Path.of(folder), Optional.ofNullable(unfinished).map(Path::of));
    }

    /** Leaves the stream open. */
    void write(OutputStream stream) throws IOException {
        ObjectOutputStream objects = new ObjectOutputStream(stream);
        objects.writeObject(this);
        objects.flush();
    }

    /** Leaves the stream open, and what follows unread. */
    static Assignment read(InputStream stream) throws IOException, ClassNotFoundException {
        return (Assignment) new ObjectInputStream(stream).readObject();
    }
}
