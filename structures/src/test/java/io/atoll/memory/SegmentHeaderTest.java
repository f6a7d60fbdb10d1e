package io.atoll.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class SegmentHeaderTest {

    private static final WorldIdentity WORLD = new WorldIdentity("header", 3);

    private final LocalMemory memory = new MappedMemory(
            Arena.ofAuto().allocate(SegmentHeader.size(WORLD.maxSize()), Layouts.CACHE_LINE));

    @Test
    void theLayoutIsWhatOtherProcessesReadByNumber() {
        assertThat(new long[]{SegmentHeader.MAGIC, SegmentHeader.VERSION, SegmentHeader.WORLD_ID,
            SegmentHeader.WORLD_SIZE, SegmentHeader.RANK, SegmentHeader.INCARNATION, SegmentHeader.SEGMENT_BYTES,
            SegmentHeader.NAME_BYTES, SegmentHeader.NAME, SegmentHeader.ADDRESS, SegmentHeader.PORT,
            SegmentHeader.KERNEL, SegmentHeader.DEVICE, SegmentHeader.FILE, SegmentHeader.MAX_SIZE,
            SegmentHeader.FOUNDED, SegmentHeader.INSTALLED, SegmentHeader.BORN, SegmentHeader.RESTING})
                .containsExactly(0, 8, 16, 24, 32, 40, 48, 56, 64, 128, 144, 152, 168, 176, 184, 192, 200, 208, 216);
        assertThat(SegmentHeader.ENTRIES).isEqualTo(256);
        assertThat(SegmentHeader.ENTRY_BYTES).isEqualTo(16);
        assertThat(SegmentHeader.fencedWord(2)).isEqualTo(256 + 2 * 16 + 8);
    }

    @Test
    void partsWithAnEntryARankHaveOneForEachThatMayEverBe() {
        assertThat(SegmentHeader.viewWords(64)).isEqualTo(256 + 64 * 16);
        assertThat(SegmentHeader.viewRecord(64, 6)).isEqualTo(1280 + 256 * 8);
        assertThat(SegmentHeader.viewRecord(64, 7)).isEqualTo(3328 + 64 * 8);
        assertThat(SegmentHeader.suspicions(64)).isEqualTo(3328 + 2 * 64 * 8);
        assertThat(SegmentHeader.suspicionBytes(64)).isEqualTo(8);
        assertThat(SegmentHeader.suspicionBytes(65)).isEqualTo(16);
        assertThat(SegmentHeader.size(64)).isEqualTo(4352 + 64);
        assertThat(SegmentHeader.size(4096)).isEqualTo(256 + 4096 * 16 + 2048 + 2 * 4096 * 8 + 512);
    }

    @Test
    void incarnationsThatWereMetOrShutOutOnlyGrow() {
        SegmentHeader.remember(memory, 1, 3);
        SegmentHeader.remember(memory, 1, 2);
        SegmentHeader.noteFenced(memory, 1, 2);
        SegmentHeader.noteFenced(memory, 1, 1);

        assertThat(SegmentHeader.remembered(memory, 1)).isEqualTo(3);
        assertThat(memory.get(SegmentHeader.fencedWord(1))).isEqualTo(2);
        assertThat(SegmentHeader.remembered(memory, 2)).isZero();
    }

    @Test
    void theOwnerSaysWhichMemoryItIs() {
        MemoryPlace place = new MemoryPlace(-1, 2, 3, Long.MAX_VALUE);
        SegmentHeader.write(memory, WORLD, 1, 1, place);
        assertThat(SegmentHeader.place(memory)).isEqualTo(place);
    }

    @Test
    void theMemoryKeepsTheIncarnationInWhichItWasMade() {
        SegmentHeader.write(memory, WORLD, 1, 0, MemoryPlace.PRIVATE);
        assertThat(SegmentHeader.born(memory)).as("made, by a process that has yet to learn its incarnation").isZero();

        SegmentHeader.write(memory, WORLD, 1, 4, MemoryPlace.PRIVATE);
        SegmentHeader.write(memory, WORLD, 1, 5, MemoryPlace.PRIVATE);

        assertThat(SegmentHeader.born(memory)).isEqualTo(4);
        assertThat(memory.get(SegmentHeader.bornWord())).isEqualTo(4);
    }

    @Test
    void anAddressIsThereOnceItIsPublishedAndGoneWhenTheRankIsStartedAgain() {
        SegmentHeader.write(memory, WORLD, 1, 1, MemoryPlace.PRIVATE);
        assertThat(SegmentHeader.published(memory)).isNull();
        for (String literal : new String[]{"10.9.1.1", "2001:db8::17"}) {
            var address = new InetSocketAddress(InetAddress.ofLiteral(literal), 40_000);
            SegmentHeader.publish(memory, address);
            assertThat(SegmentHeader.published(memory)).isEqualTo(address);
        }

        SegmentHeader.write(memory, WORLD, 1, 2, MemoryPlace.PRIVATE);

        assertThat(SegmentHeader.published(memory)).isNull();
    }
}
