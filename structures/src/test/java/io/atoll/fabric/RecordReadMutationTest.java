package io.atoll.fabric;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.atoll.Patch;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** {@link RecordReadTest} finds mistakes in the loads of an owner. */
class RecordReadMutationTest {

    /** Checks all that is tested of reads of records. */
    private static final class Checks implements Runnable {

        @Override
        public void run() {
            new RecordReadTest().theFirstWordIsLoadedByAcquireBeforeTheOthersAndBehindThem();
            new RecordReadTest().aRecordOfOneWordArrivesTwice();
            new RecordReadTest().recordsAreOfWholeWordsAndBringNoMoreThanAVerbOf32KiBDoes();
        }
    }

    private static final String BEFORE = "        target.set(JAVA_LONG, position, records.getAcquire(offset));"
            + " // before any access that follows\n";
    private static final String BETWEEN = "        records.load(offset + Layouts.WORD, target, position + Layouts.WORD,"
            + " stride - Layouts.WORD); // the same\n";
    private static final String BEHIND = "        target.set(JAVA_LONG, position + stride,"
            + " records.getAcquire(offset));\n";

    static Stream<Arguments> mistakes() {
        return Stream.of(arguments("no first load", BEFORE, ""), arguments("no second load", BEHIND, ""),
                arguments("the first load once more", BEHIND,
                        "        target.set(JAVA_LONG, position + stride, target.get(JAVA_LONG, position));\n"),
                arguments("the second load before the entry", BETWEEN + BEHIND, BEHIND + BETWEEN),
                arguments("the first load behind the entry", BEFORE + BETWEEN, BETWEEN + BEFORE),
                arguments("a first load that others overtake", BEFORE, BEFORE.replace("getAcquire", "get")),
                arguments("all words by one load", BETWEEN,
                        "        records.load(offset, target, position, stride);\n"),
                arguments("records one word too near", "position + record * arriving(stride)",
                        "position + record * stride"),
                arguments("one record", "record < count", "record < 1"),
                arguments("parts of words", " && stride % Layouts.WORD == 0", ""),
                arguments("too many", "&& count <= Batch.RECORDS ", ""),
                arguments("too large", "count * arriving(stride) <= ", "count * stride <= "),
                arguments("none", " && count >= 1\n               ", "\n               "));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("mistakes")
    void aMistakeIsFound(String name, String text, String instead) {
        assertThatThrownBy(() -> new Patch(RecordRead.class).replace(text, instead).run(Checks.class))
                .as(name)
                .isInstanceOf(AssertionError.class);
    }
}
