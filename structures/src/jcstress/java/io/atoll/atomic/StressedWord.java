package io.atoll.atomic;

import io.atoll.World;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A zeroed word in mapped memory, in a line of its own, and two objects with a word each. Lines are used again, but
 * only long after their first use.
 */
final class StressedWord {

    private static final long LINES = 3L << 16;
    private static final World WORLD = World.named("stress").segment(LINES * Layouts.CACHE_LINE + (8 << 20)).open();
    private static final long BLOCK = WORLD.participant()
            .directory()
            .openAt(0, "lines", "lines", LINES * Layouts.CACHE_LINE);
    private static final AtomicLong NEXT = new AtomicLong();

    final Endpoint endpoint = WORLD.participant().endpoint();
    final long offset = zeroedLine();
    final GlobalPointer first = new GlobalPointer(0, zeroedLine());
    final GlobalPointer second = new GlobalPointer(0, zeroedLine());

    private long zeroedLine() {
        long line = BLOCK + NEXT.getAndIncrement() % LINES * Layouts.CACHE_LINE;
        endpoint.writeWord(0, line, 0);
        return line;
    }

    AtomicObject<GlobalPointer> plain() {
        return AtomicObject.plain(endpoint, 0, offset, ObjectType.POINTER);
    }

    AtomicObject<GlobalPointer> abaProtected() {
        return AtomicObject.abaProtected(endpoint, 0, offset, ObjectType.POINTER);
    }

    LocalAtomicObject<GlobalPointer> local() {
        return LocalAtomicObject.plain(endpoint, offset, ObjectType.POINTER);
    }

    LocalAtomicObject<GlobalPointer> localAbaProtected() {
        return LocalAtomicObject.abaProtected(endpoint, offset, ObjectType.POINTER);
    }

    /** Returns 1 for the first object, 2 for the second one, and 0 for none. */
    int number(GlobalPointer object) {
        return object == null ? 0 : object.equals(first) ? 1 : object.equals(second) ? 2 : -1;
    }

    /** Writes a number into the first object, then lets the word refer to the object. */
    void publish(ObjectWord<GlobalPointer> word) {
        endpoint.writeWord(0, first.offset(), 7);
        word.write(first);
    }

    /** Returns the number in the object that the word refers to, or -1 if the word refers to none. */
    int heard(ObjectWord<GlobalPointer> word) {
        GlobalPointer object = word.read();
        return object == null ? -1 : (int) endpoint.readWord(0, object.offset());
    }
}
