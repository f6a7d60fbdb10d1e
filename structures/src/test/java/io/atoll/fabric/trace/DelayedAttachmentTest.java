package io.atoll.fabric.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Attachment;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class DelayedAttachmentTest {

    /** A method with a default would answer here without asking the attachment within. */
    @Test
    void everyMethodOfAnAttachmentIsHandedOn() {
        assertThat(Attachment.class.getMethods()).filteredOn(method -> !Modifier.isStatic(method.getModifiers()))
                .isNotEmpty()
                .allMatch(DelayedAttachmentTest::isHandedOn, "is declared by the wrapper");
    }

    private static boolean isHandedOn(Method method) {
        return Arrays.stream(DelayedAttachment.class.getDeclaredMethods())
                .anyMatch(own -> own.getName().equals(method.getName())
                        && Arrays.equals(own.getParameterTypes(), method.getParameterTypes()));
    }
}
