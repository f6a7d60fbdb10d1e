package io.atoll.chaos.workload;

import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import io.atoll.collective.Broadcast;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A window in which each sending thread of each rank has a place of its own. The thread fills it with ever larger
 * numbers. Two threads of a process send, each by a handle of its own.
 */
final class WindowWorkload extends Workload {

    private static final int WORDS = 3000;
    private static final long PLACE_BYTES = WORDS * Long.BYTES;
    static final int SENDERS = 2;
    private static final Duration LOOK = Duration.ofMillis(50);

    private final int sender;
    private @Nullable Broadcast window;

    WindowWorkload(Scene scene, int thread, int sender) {
        super(scene, Structure.WINDOW, thread);
        this.sender = sender;
    }

    @Override
    protected void open() {
        window = scene.world.collectives()
                .broadcast("window")
                .bytes(scene.setting.size() * SENDERS * PLACE_BYTES)
                .open();
    }

    @Override
    protected void step() throws Exception {
        Broadcast opened = window;
        if (opened == null) {
            throw new IllegalStateException("not open");
        }
        if (random.nextInt(8) == 0) {
            send(opened, scene.setting.rank() * SENDERS + sender);
        } else {
            read(opened, random.nextInt(scene.setting.size() * SENDERS));
        }
    }

    /** Numbers grow with time, even over incarnations. */
    private void send(Broadcast opened, int place) throws Exception {
        long number = System.nanoTime();
        long[] words = new long[WORDS];
        Arrays.fill(words, number);
        record(Verb.SEND, place, number, 0, () -> {
            opened.write(place * PLACE_BYTES, MemorySegment.ofArray(words));
            opened.send(place * PLACE_BYTES, PLACE_BYTES);
            opened.flush();
            return 0;
        });
        if (random.nextInt(4) == 0) {
            int root = (scene.setting.rank() + 1 + random.nextInt(scene.setting.size() - 1)) % scene.setting.size();
            record(Verb.OPEN, 1, root, 0, () -> opened.awaitNext(root, LOOK).orElse(0));
        }
    }

    private void read(Broadcast opened, int place) throws Exception {
        record(Verb.READ, place, 0, 0, () -> {
            long[] words = new long[WORDS];
            opened.read(place * PLACE_BYTES, MemorySegment.ofArray(words));
            long least = Arrays.stream(words).min().orElseThrow();
            extra = Arrays.stream(words).max().orElseThrow() - least;
            return least;
        });
    }
}
