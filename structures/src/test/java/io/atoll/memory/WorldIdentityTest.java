package io.atoll.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorldIdentityTest {

    @Test
    void worldsOfAnotherNameOrSizeHaveAnotherId() {
        assertThat(Stream.of(new WorldIdentity("shop", 2), new WorldIdentity("shop", 3), new WorldIdentity("shops", 2),
                new WorldIdentity("shop", 2, 65))
                .map(WorldIdentity::id)).doesNotHaveDuplicates();
        assertThat(new WorldIdentity("shop", 2).id()).isEqualTo(new WorldIdentity("shop", 2).id());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "../shop", "shöp", "a/b",
        "a-name-of-sixty-five-letters-------------------------------------"})
    void aNameThatCouldNotBeAFilesIsRefused(String name) {
        assertThatIllegalArgumentException().isThrownBy(() -> new WorldIdentity(name, 1))
                .withMessage("a world's name has 1 to 64 letters, digits, dots, dashes, underscores: name=" + name);
    }

    @Test
    void aNameMayHave64Letters() {
        assertThat(new WorldIdentity("x".repeat(64), 1).name()).hasSize(64);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 4097})
    void aSizeThatViewsCannotNameIsRefused(int size) {
        assertThatIllegalArgumentException().isThrownBy(() -> new WorldIdentity("shop", size))
                .withMessage("a world has 1 to 4096 ranks: size=" + size);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4097})
    void aMaximumBelowTheSizeOrAboveWhatViewsCanNameIsRefused(int maxSize) {
        assertThatIllegalArgumentException().isThrownBy(() -> new WorldIdentity("shop", 3, maxSize))
                .withMessage(
                        "a world may have as many ranks as it is founded with, and 4096 at most: maxSize=" + maxSize
                                + " size=3");
    }

    @Test
    void aWorldMayHave64RanksOrAsManyAsItIsFoundedWithUnlessTold() {
        assertThat(new WorldIdentity("shop", 3).maxSize()).isEqualTo(64);
        assertThat(new WorldIdentity("shop", 300).maxSize()).isEqualTo(300);
        assertThat(new WorldIdentity("shop", 4096).maxSize()).isEqualTo(4096);
    }

    @Test
    void ranksRunFromZeroToSizeMinusOne() {
        WorldIdentity world = new WorldIdentity("shop", 2);
        assertThatCode(() -> world.checkRank(1)).doesNotThrowAnyException();
        assertThatIllegalArgumentException().isThrownBy(() -> world.checkRank(2))
                .withMessage("ranks run from 0 to size - 1: rank=2 size=2");
        assertThatIllegalArgumentException().isThrownBy(() -> world.checkRank(-1));
    }
}
