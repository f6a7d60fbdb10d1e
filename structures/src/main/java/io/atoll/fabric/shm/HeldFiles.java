package io.atoll.fabric.shm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.Security;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The files whose locks this process holds, whichever class loader has loaded the code that holds them. The kernel
 * gives locks to processes and knows nothing of class loaders. If an application opened and closed a file, another
 * application in the same servlet container would lose its lock.
 *
 * <p>Every class loader has its own copy of a static field. So the monitor is an interned string, which a process has
 * once. The table is a security property, which all class loaders share as well. Unlike the system's properties, no
 * code can exchange them as a whole. It holds text only, so it keeps no class loader alive.
 *
 * <p>A caller that opens or closes such a file takes the {@link #MONITOR} before it asks the table. It holds it until
 * the table is right again.
 */
final class HeldFiles {

    static final Object MONITOR = "io.atoll.fabric.shm.HeldFiles".intern();

    private static final String TABLE = "io.atoll.held-files";
    private static final String SEPARATOR = ",";

    private HeldFiles() {}

    /**
     * Returns the numbers by which the kernel tells the file apart; null if there is no file. A path has several
     * spellings, and it names another file after a removal.
     */
    static @Nullable String identity(Path file) throws IOException {
        try {
            Map<String, Object> numbers = Files.readAttributes(file, "unix:dev,ino", LinkOption.NOFOLLOW_LINKS);
            return numbers.get("dev") + ":" + numbers.get("ino");
        } catch (NoSuchFileException removed) {
            return null;
        }
    }

    /** Returns true if this process holds the file's locks. */
    static boolean contains(String identity) {
        return table().contains(identity);
    }

    static void add(String identity) {
        Set<String> table = table();
        table.add(identity);
        replace(table);
    }

    static void remove(String identity) {
        Set<String> table = table();
        table.remove(identity);
        replace(table);
    }

    private static Set<String> table() {
        if (!Thread.holdsLock(MONITOR)) {
            throw new IllegalStateException("the table is used under its monitor");
        }
        String stored = Security.getProperty(TABLE);
        return new LinkedHashSet<>(stored == null || stored.isEmpty() ? Set.of() : Set.of(stored.split(SEPARATOR)));
    }

    private static void replace(Set<String> table) {
        Security.setProperty(TABLE, String.join(SEPARATOR, table));
    }
}
