package io.atoll.fabric.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which connections have to wait, and for how long. */
class DelayedAddressesTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final DelayedAddresses<SocketChannel> delayed = new DelayedAddresses<>(SocketChannel::close);
    private final List<SocketChannel> opened = new ArrayList<>();

    private SocketChannel channel() throws IOException {
        SocketChannel channel = SocketChannel.open();
        opened.add(channel);
        return channel;
    }

    private static InetAddress address(int index) throws IOException {
        return InetAddress.getByAddress(new byte[]{10, 0, (byte) (index >>> Byte.SIZE), (byte) index});
    }

    @AfterEach
    void nothingIsLeftOpen() throws IOException {
        delayed.close();
        for (SocketChannel channel : opened) {
            channel.close();
        }
    }

    @Test
    void aConnectionWaitsUntilASecondAfterTheWrongProof() throws IOException {
        SocketChannel channel = channel();
        delayed.delay(address(1), 100);

        assertThat(delayed.keeps(channel(), address(2), 200)).as("another address").isFalse();
        assertThat(delayed.keeps(channel, address(1), 200)).isTrue();
        assertThat(delayed.waitMillis(200, 5_000)).isEqualTo(999);
        assertThat(delayed.waitMillis(200, 250)).isEqualTo(250);
        assertThat(delayed.due(SECOND)).isNull();
        assertThat(delayed.due(SECOND + 100)).isSameAs(channel);
        assertThat(delayed.due(SECOND + 100)).isNull();
        assertThat(channel.isOpen()).isTrue();
        assertThat(delayed.keeps(channel(), address(1), SECOND + 100)).as("the second has passed").isFalse();
        assertThat(delayed.waitMillis(0, 250)).isEqualTo(250);
    }

    @Test
    void moreThanCanWaitAreTurnedAway() throws IOException {
        delayed.delay(address(1), 0);
        for (int index = 0; index < DelayedAddresses.MOST_WAITING; index++) {
            delayed.keeps(channel(), address(1), 0);
        }
        SocketChannel oneMore = channel();
        assertThat(delayed.keeps(oneMore, address(1), 0)).isTrue();
        assertThat(oneMore.isOpen()).isFalse();
        assertThat(opened.subList(0, DelayedAddresses.MOST_WAITING)).allMatch(SocketChannel::isOpen);
        delayed.close();
        assertThat(opened).noneMatch(SocketChannel::isOpen);
    }

    @Test
    void theAddressesThatWereWrongLastAreRemembered() throws IOException {
        for (int index = 0; index < 5_000; index++) {
            delayed.delay(address(index), 0);
        }
        assertThat(delayed.keeps(channel(), address(0), 0)).isFalse();
        assertThat(delayed.keeps(channel(), address(4_999), 0)).isTrue();
    }
}
