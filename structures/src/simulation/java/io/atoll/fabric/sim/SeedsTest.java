package io.atoll.fabric.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Sets a property of the whole process. */
@Isolated
@Tag("simulation")
class SeedsTest {

    private static final String SINGLE = "atoll.seed";

    private final List<Long> tried = new ArrayList<>();
    private final String told = System.getProperty(SINGLE, "");

    @BeforeEach
    void forget() {
        System.clearProperty(SINGLE);
    }

    @AfterEach
    void restore() {
        System.clearProperty(SINGLE);
        if (!told.isEmpty()) {
            System.setProperty(SINGLE, told);
        }
    }

    @Test
    void whatSeedsShowTogetherIsAssertedOfThemAll() {
        Seeds.all(3, tried::add);
        assertThat(tried).containsExactly(1L, 2L, 3L);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> Seeds.together(() -> assertThat(tried).contains(4L)));
    }

    @Test
    void aSeedThatIsRepeatedNeedNotShowIt() {
        System.setProperty(SINGLE, "2");
        Seeds.each(3, tried::add);
        assertThat(tried).containsExactly(2L);
        Seeds.together(() -> assertThat(tried).contains(3L));
    }
}
