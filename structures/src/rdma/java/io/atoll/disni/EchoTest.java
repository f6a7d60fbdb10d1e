package io.atoll.disni;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.RdmaActiveEndpoint;
import com.ibm.disni.RdmaActiveEndpointGroup;
import com.ibm.disni.RdmaServerEndpoint;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.IbvWC.IbvWcOpcode;
import com.ibm.disni.verbs.RdmaCmId;
import io.atoll.fabric.rdma.NeedsRdmaDevice;
import io.atoll.fabric.rdma.RdmaDevice;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.LinkedList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A server sends back what it receives. It uses DiSNI's endpoints, which have threads of their own. The test uses
 * nothing but DiSNI's API.
 */
@NeedsRdmaDevice
class EchoTest {

    private static final int TIMEOUT_MILLIS = 1_000;
    private static final int WORK_REQUESTS = 8;
    private static final int COMPLETIONS = 16;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(120)
    void whatIsSentComesBack(boolean polling) throws Exception {
        ForeignProvider.install();
        RdmaActiveEndpointGroup<EchoEndpoint> group = new RdmaActiveEndpointGroup<>(TIMEOUT_MILLIS, polling,
                WORK_REQUESTS,
                1, COMPLETIONS);
        group.init((id, serverSide) -> new EchoEndpoint(group, id, serverSide));
        try {
            RdmaServerEndpoint<EchoEndpoint> listening = group.createServerEndpoint();
            listening.bind(new InetSocketAddress(RdmaDevice.address(), 0), 1);
            CompletableFuture<EchoEndpoint> accepted = CompletableFuture.supplyAsync(() -> accept(listening));
            EchoEndpoint client = group.createEndpoint();
            client.connect(listening.getSrcAddr(), TIMEOUT_MILLIS);
            accepted.get();

            for (String message : List.of("ring", "islands around one lagoon")) {
                client.send(message);
                assertThat(client.received()).isEqualTo(message);
            }
        } finally {
            group.close();
        }
    }

    private static EchoEndpoint accept(RdmaServerEndpoint<EchoEndpoint> listening) {
        try {
            return listening.accept();
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    /** The endpoint receives into the first half of its memory, and sends from the second half. */
    private static final class EchoEndpoint extends RdmaActiveEndpoint {

        private static final int HALF = 256;

        private final ByteBuffer memory = ByteBuffer.allocateDirect(2 * HALF);
        private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
        private IbvMr region;

        EchoEndpoint(RdmaActiveEndpointGroup<EchoEndpoint> group, RdmaCmId id, boolean serverSide) throws IOException {
            super(group, id, serverSide);
        }

        @Override
        protected synchronized void init() throws IOException {
            region = registerMemory(memory).execute().free().getMr();
            receiveNext();
        }

        private void receiveNext() throws IOException {
            IbvRecvWR request = new IbvRecvWR();
            request.setSg_list(new LinkedList<>(List.of(element(0, HALF))));
            postRecv(List.of(request)).execute().free();
        }

        void send(String message) throws IOException {
            byte[] bytes = message.getBytes(UTF_8);
            memory.put(HALF, bytes);
            IbvSendWR request = new IbvSendWR();
            request.setOpcode(IbvSendWR.IBV_WR_SEND);
            request.setSend_flags(IbvSendWR.IBV_SEND_SIGNALED);
            request.setSg_list(new LinkedList<>(List.of(element(HALF, bytes.length))));
            postSend(List.of(request)).execute().free();
        }

        private IbvSge element(int position, int length) {
            IbvSge element = new IbvSge();
            element.setAddr(region.getAddr() + position);
            element.setLength(length);
            element.setLkey(region.getLkey());
            return element;
        }

        String received() throws InterruptedException {
            return received.poll(60, TimeUnit.SECONDS);
        }

        @Override
        public void dispatchCqEvent(IbvWC completion) throws IOException {
            if (completion.getStatus() != IbvWC.IbvWcStatus.IBV_WC_SUCCESS.ordinal()
                    || completion.getOpcode() != IbvWcOpcode.IBV_WC_RECV.getOpcode()) {
                return;
            }
            byte[] bytes = new byte[completion.getByte_len()];
            memory.get(0, bytes);
            String message = new String(bytes, UTF_8);
            receiveNext();
            received.add(message);
            if (isServerSide()) {
                send(message);
            }
        }
    }
}
