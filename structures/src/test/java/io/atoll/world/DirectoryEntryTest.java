package io.atoll.world;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The layout of an entry: processes of one layout version agree on these numbers. */
class DirectoryEntryTest {

    @Test
    void anEntryOfTheDirectoryIsTenLines() {
        assertThat(new long[]{DirectoryEntry.STATE, DirectoryEntry.OFFSET, DirectoryEntry.BYTES,
            DirectoryEntry.NAME_BYTES, DirectoryEntry.CONFIGURATION_BYTES, DirectoryEntry.BIRTHS,
            DirectoryEntry.NAME, DirectoryEntry.CONFIGURATION, DirectoryEntry.SIZE})
                .containsExactly(0, 8, 16, 24, 32, 40, 48, 112, 640);
        assertThat(Directory.ENTRIES).isEqualTo(128);
        assertThat(Directory.AREA_BYTES).isEqualTo(128 * 640);
    }

    @Test
    void aReservedEntryNamesKindRankIncarnationAndAttempt() {
        long state = DirectoryEntry.reserved(0x8001, 0xFFFE, 0x1_0003);
        assertThat(state).isEqualTo(0x0003_FFFE_8001_0001L);
        assertThat(DirectoryEntry.kind(state)).isEqualTo(DirectoryEntry.RESERVED);
        assertThat(DirectoryEntry.rank(state)).isEqualTo(0x8001);
        assertThat(DirectoryEntry.incarnation(state)).isEqualTo(0xFFFE);
        assertThat(DirectoryEntry.FREE).isZero();
        assertThat(DirectoryEntry.READY).isEqualTo(2);
    }
}
