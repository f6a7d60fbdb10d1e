package io.atoll.disni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.ibm.disni.util.NativeAffinity;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.RdmaProvider;
import io.atoll.fabric.rdma.RdmaDevice;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ForeignProviderTest {

    @BeforeEach
    void install() {
        ForeignProvider.install();
    }

    @Test
    void itIsDisnisProviderFromThenOn() throws Exception {
        assertThat(RdmaProvider.provider()).isSameAs(ForeignProvider.install());
    }

    @Test
    void disnisThreadsAreBoundWithoutItsNativeLibrary() {
        long before = NativeAffinity.getAffinity();
        long first = Long.lowestOneBit(before);
        try {
            NativeAffinity.setAffinity(first);

            assertThat(NativeAffinity.getAffinity()).isEqualTo(first);
        } finally {
            NativeAffinity.setAffinity(before);
        }
    }

    @Test
    void anAffinityOfZeroChangesNothing() {
        long before = NativeAffinity.getAffinity();

        NativeAffinity.setAffinity(0);

        assertThat(NativeAffinity.getAffinity()).isEqualTo(before);
    }

    @Test
    void aProcessorThatIsNotThereIsRefused() {
        long missing = Long.highestOneBit(~NativeAffinity.getAffinity());

        assertThatIllegalArgumentException().isThrownBy(() -> NativeAffinity.setAffinity(missing))
                .withMessageContaining("processors=0x");
    }

    @Test
    void withoutADeviceTheFirstCallSaysWhatIsMissing() {
        assumeFalse(RdmaDevice.isPresent(), "there is an RDMA device");

        assertThatExceptionOfType(RdmaUnavailableException.class).isThrownBy(RdmaEventChannel::createEventChannel);
        assertThatExceptionOfType(RdmaUnavailableException.class).isThrownBy(Devices::names);
    }
}
