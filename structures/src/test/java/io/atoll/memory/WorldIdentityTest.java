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
        assertThat(Stream.of(new WorldIdentity("shop", 2), new WorldIdentity("shop", 3), new WorldIdentity("shops", 2))
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
    @ValueSource(ints = {-1, 0, 65_537})
    void aSizeThatPointersCannotNameIsRefused(int size) {
        assertThatIllegalArgumentException().isThrownBy(() -> new WorldIdentity("shop", size))
                .withMessage("a pointer has 16 bits for the rank, so a world has 1 to 65536 ranks: size=" + size);
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
