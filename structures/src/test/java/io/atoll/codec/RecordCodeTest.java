package io.atoll.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RecordCodeTest {

    private record Plain(int row, long seat, double price, Plainer plainer, String name) {

        Plain(int row) {
            this(row, row + 1L, Math.sqrt(row), new Plainer((short) 1), "name");
        }

        static long next(Plain plain) {
            return plain.seat() + 1;
        }

        int row(int other) {
            return Math.max(row, other);
        }
    }

    private record Plainer(short number) {}

    private record Checking(int row) {
        Checking {
            if (row < 0) {
                throw new IllegalArgumentException("row=" + row);
            }
        }
    }

    private record Copying(List<String> names) {
        private Copying(List<String> names) {
            this.names = List.copyOf(names);
        }
    }

    private record Answering(int row) {
        @Override
        public int row() {
            return Math.abs(row);
        }
    }

    @Test
    void aRecordThatOnlyKeepsItsComponentsHasNone() {
        assertThat(RecordCode.isIn(Plain.class)).isFalse();
        assertThat(RecordCode.isIn(Plainer.class)).isFalse();
    }

    @Test
    void aRecordWhoseConstructorOrAccessorDoesMoreHasSome() {
        assertThat(RecordCode.isIn(Checking.class)).isTrue();
        assertThat(RecordCode.isIn(Copying.class)).isTrue();
        assertThat(RecordCode.isIn(Answering.class)).isTrue();
    }

    @Test
    void onlyTheCodecsOfSuchRecordsAreWatched() {
        assertThat(Codecs.forType(Plainer.class).within("map")).isInstanceOf(Codecs.forType(Plainer.class).getClass());
        assertThat(Codecs.forType(Checking.class).within("map")).isInstanceOf(NamingCodec.class);
    }
}
