package io.atoll.admin.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class AuditTest {

    private final List<AuditEvent> events = new ArrayList<>();
    private final AtomicLong nowNanos = new AtomicLong();
    private final Audit audit = new Audit(event -> events.add(((AuditApplicationEvent) event).getAuditEvent()),
            nowNanos::get);

    @Test
    void whoIsRefusedIsWrittenDownWithWhatHeAskedFor(CapturedOutput output) {
        audit.refuse("eve", "10.0.0.7", "clear", "the user has not the authority");
        assertThat(output).contains("WARN",
                "an action was refused: user=eve address=10.0.0.7 action=clear reason=the user has not the authority");
        assertThat(events).singleElement().satisfies(event -> {
            assertThat(event.getType()).isEqualTo(Audit.REFUSED_TYPE);
            assertThat(event.getPrincipal()).isEqualTo("eve");
            assertThat(event.getData()).containsEntry("action", "clear").containsEntry("address", "10.0.0.7");
        });
    }

    @Test
    void nobodyFillsTheLogByBeingRefused(CapturedOutput output) {
        for (int request = 0; request < 1_000; request++) {
            audit.refuse(null, "10.0.0.7", "clear", "nobody is authenticated");
        }
        assertThat(events).hasSize(Audit.MOST_REFUSED_A_MINUTE);
        assertThat(output.toString().split("an action was refused", -1)).hasSize(Audit.MOST_REFUSED_A_MINUTE + 1);
        nowNanos.addAndGet(TimeUnit.MINUTES.toNanos(1));
        audit.refuse(null, "10.0.0.7", "clear", "nobody is authenticated");
        assertThat(output).contains("unwrittenBefore=" + (1_000 - Audit.MOST_REFUSED_A_MINUTE));
        assertThat(events.getLast().getData()).containsEntry("unwrittenBefore",
                1_000L - Audit.MOST_REFUSED_A_MINUTE);
    }

    @Test
    void whatIsDoneIsAlwaysWrittenDown() {
        for (int request = 0; request < 100; request++) {
            audit.write("ada", "clear", "jobs", "done");
        }
        assertThat(events).hasSize(100);
    }

    @Test
    void aNameDoesNotLookLikeAnotherLineNorIsItLong(CapturedOutput output) {
        audit.refuse("eve\r\n12:00 WARN all\u2028is\u0085well\u202e", "::1", "clear", "x".repeat(10_000));
        assertThat(output).contains("user=eve??12:00 WARN all?is?well? address").doesNotContain("x".repeat(201));
    }
}
