package io.atoll.fabric.tcp;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.link.Secret;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import io.atoll.process.ProcessFigures;
import io.atoll.process.Program;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.StringJoiner;

/** A process that listens as rank 1 of a world for each {@link Door}, and waits for connections. */
final class ListeningProgram implements Program {

    static final long SEGMENT_BYTES = 64 << 10;
    static final int CALLER = 0;
    static final int OWNER = 1;
    static final Secret SECRET = Secret.of("a secret that whoever mutates greetings knows, too");

    /** The security by which a listener lets others in. */
    enum Door {
        OPEN(Security.none()), SECRET(Security.secret(ListeningProgram.SECRET).unencrypted()), ENCRYPTED(
                Security.secret(ListeningProgram.SECRET));

        final Security security;

        Door(Security security) {
            this.security = security;
        }

        WorldIdentity world() {
            return new WorldIdentity("tcp-listening-" + ordinal(), 2);
        }
    }

    private record Listening(Attachment attachment, long[] header) {}

    private final List<Listening> listening = new ArrayList<>();

    @Override
    public String obey(String command, List<String> arguments) throws Exception {
        return switch (command) {
            case "listen" -> listen(Path.of(arguments.getFirst()));
            case "repair" -> repair();
            case "figures" -> ProcessFigures.tell();
            default -> throw new IllegalArgumentException("no such command: command=" + command);
        };
    }

    /** Returns the ports. */
    private String listen(Path folder) {
        StringJoiner ports = new StringJoiner(" ");
        for (Door door : Door.values()) {
            Attachment attachment = new Tcp(new SharedMemory(folder, false)).withoutSharedMemory()
                    .security(door.security)
                    .attach(door.world(), OptionalInt.of(OWNER), SEGMENT_BYTES);
            // Records the caller as met, so that it is let in once it comes.
            SegmentHeader.remember(attachment.fabric().local(), CALLER, 1);
            long[] header = new long[(int) SegmentHeader.size(WorldIdentity.defaultMaxSize(2)) / Long.BYTES];
            for (int word = 0; word < header.length; word++) {
                header[word] = attachment.fabric().local().getAcquire((long) word * Long.BYTES);
            }
            listening.add(new Listening(attachment, header));
            ports.add(attachment.address().get("tcp.port"));
        }
        return ports.toString();
    }

    /**
     * Repairs the header of the segment. Mutated writes may go anywhere in it, also to the words that say which ranks
     * are shut out.
     */
    private String repair() {
        for (Listening each : listening) {
            for (int word = 0; word < each.header.length; word++) {
                each.attachment.fabric().local().setVolatile((long) word * Long.BYTES, each.header[word]);
            }
        }
        return "repaired";
    }

    @Override
    public void close() {
        listening.forEach(each -> each.attachment.close());
    }
}
