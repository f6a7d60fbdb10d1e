package io.atoll.chaos.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.chaos.workload.Lateness.Subject;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("processes")
class LatenessTest {

    private final Lateness lateness = new Lateness();

    @Test
    void whatWorksAgainIsNotLate() {
        lateness.add(List.of(new Subject("MCS-1", 3)), new TimeoutException("late"));
        lateness.works(new Subject("MCS-1", 3));
        assertThat(lateness.texts()).isEmpty();
        assertThat(lateness.any("MCS-1")).isEmpty();
    }

    @Test
    void aKeyStaysLateThoughOthersWork() {
        lateness.add(List.of(new Subject("MCS-1", 3), new Subject("MCS-1", 4)), new TimeoutException("late"));
        lateness.works(new Subject("MCS-1", 4));
        lateness.works(new Subject("MCS-2", 3));
        assertThat(lateness.texts()).containsOnlyKeys("MCS-1 key=3");
        assertThat(lateness.any("MCS-1")).hasValue(3);
        assertThat(lateness.any("MCS-2")).isEmpty();
    }
}
