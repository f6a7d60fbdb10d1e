package io.atoll.disni;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

class NativeFunctionTest {

    private static final int EBADF = 9;
    private static final int NO_DESCRIPTOR = -1;

    private final NativeFunction close = NativeLibrary.libc("close", JAVA_INT);

    @Test
    void aFailureNamesTheFunctionItsArgumentsAndTheErrorInWordsAndNumber() {
        assertThatExceptionOfType(NativeCallException.class).isThrownBy(() -> close.check(NO_DESCRIPTOR))
                .withMessage("close[-1] failed: Bad file descriptor: errno=9")
                .satisfies(failure -> assertThat(failure.errorNumber()).isEqualTo(EBADF));
    }

    @Test
    void anErrorThatIsExpectedIsAValue() {
        assertThat(close.error(NO_DESCRIPTOR)).isEqualTo(EBADF);
    }

    @Test
    void aLibraryThatIsNotThereIsNamedWithItsPackage() {
        assertThatExceptionOfType(RdmaUnavailableException.class)
                .isThrownBy(() -> NativeLibrary.load("libnosuchthing.so.1", "libnosuchthing1"))
                .withMessageContaining("library=libnosuchthing.so.1")
                .withMessageContaining("apt-get install libnosuchthing1")
                .withMessageContaining("ldconfig -p");
    }
}
