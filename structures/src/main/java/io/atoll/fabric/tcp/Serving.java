package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.atoll.fabric.link.Access;
import io.atoll.fabric.link.Keys;
import io.atoll.fabric.link.Refusal;
import io.atoll.fabric.link.Request;
import io.atoll.memory.SegmentHeader;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * A connection as the owner of the segment serves it, by a thread of its own: greets, then reads requests, executes
 * them in their order and answers. What has come with one read is answered with one write. An owner never queues
 * answers: while the other side does not read them, the thread waits and reads nothing either.
 */
final class Serving {

    private static final int IN_BYTES = 2 * Frame.MAXIMUM_BYTES;
    private static final int OUT_BYTES = 2 * Frame.MAXIMUM_BYTES;

    private final SocketChannel channel; // blocking: nobody interrupts the thread
    private Wire wire; // of the thread
    private final Listener owner;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final long beganNanos = System.nanoTime();
    private volatile boolean greeted;
    private volatile long heard; // reads
    private long lastNumber;

    Serving(SocketChannel channel, Listener owner) {
        this.channel = channel;
        this.wire = new PlainWire(channel);
        this.owner = owner;
    }

    boolean isGreeted() {
        return greeted;
    }

    long beganNanos() {
        return beganNanos;
    }

    /** How often something has arrived. */
    long heard() {
        return heard;
    }

    /** Serves until the connection ends. */
    void run() {
        try (channel; Arena arena = Arena.ofConfined()) {
            if (greet(arena)) {
                greeted = true;
                serve(arena);
            }
        } catch (IOException | RuntimeException end) {
            owner.ended(this, end);
        } finally {
            ended.countDown();
            owner.forget(this);
        }
    }

    /**
     * Ends the connection. When it returns nothing is executed any more: what the thread had in hand is done, and what
     * lies in the socket is never read.
     */
    void revoke() throws IOException {
        channel.close();
        boolean interrupted = false;
        while (true) {
            try {
                ended.await();
                break;
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the connection soon. */
    void abandon() throws IOException {
        channel.close();
    }

    // --- greeting ---

    private boolean greet(Arena arena) throws IOException {
        MemorySegment preamble = arena.allocate(TcpGreeting.PREAMBLE);
        ByteBuffer begin = preamble.asByteBuffer();
        // The magic first: a stranger is not waited for.
        receive(begin.limit(Long.BYTES));
        if (preamble.get(JAVA_LONG, 0) != TcpGreeting.GREETING.magic()) {
            throw new MalformedFrameException("a stranger");
        }
        receive(begin.limit(begin.capacity()));
        Refusal refusal = TcpGreeting.refusal(preamble, owner.encryption() != null);
        if (refusal != null) {
            return refuse(refusal, arena);
        }
        if (owner.encryption() != null) {
            wire = new TlsWire(channel, owner.encryption().engine(false), _ -> {});
        }
        MemorySegment hello = arena.allocate(TcpGreeting.HELLO);
        receive(hello.asByteBuffer());
        Request request = TcpGreeting.GREETING.readRequest(hello).orElse(null);
        if (request != null && request.layoutVersion() != SegmentHeader.LAYOUT_VERSION) {
            return refuse(Refusal.OTHER_LAYOUT, arena); // of another version the rest may mean something else
        }
        if (request != null && (request.lane() < 0 || request.lane() >= Tcp.MOST_LANES)) {
            return refuse(Refusal.STRANGER, arena); // else one rank could have any number of connections
        }
        if (TcpGreeting.proves(hello) != owner.keys().areNeeded()) {
            return refuse(Refusal.UNPROVED, arena);
        }
        return owner.keys().areNeeded() ? greetByProof(hello, request, arena) : answer(request, arena).isAccepted();
    }

    private boolean greetByProof(MemorySegment hello, @Nullable Request request, Arena arena) throws IOException {
        MemorySegment challenge = TcpGreeting.challenge(arena);
        send(challenge);
        byte[] proofs = new byte[Keys.MOST * Keys.PROOF_BYTES];
        receive(ByteBuffer.wrap(proofs));
        byte[] asked = hello.toArray(JAVA_BYTE);
        byte[] challenged = challenge.toArray(JAVA_BYTE);
        int key = owner.keys().matching(proofs, Keys.CALLER, asked, challenged, wire.binding());
        if (key == Keys.NONE) {
            refuse(Refusal.UNPROVED, arena);
            throw new MalformedFrameException("a process that does not know the secret");
        }
        Reply reply = answer(request, arena);
        byte[] answered = reply.answer.toArray(JAVA_BYTE);
        send(MemorySegment.ofArray(owner.keys().proof(key, Keys.OWNER, asked, challenged, answered, wire.binding())));
        return reply.isAccepted();
    }

    private boolean refuse(Refusal refusal, Arena arena) throws IOException {
        send(TcpGreeting.GREETING.write(refusal, owner.incarnation(), arena));
        return false;
    }

    private Reply answer(@Nullable Request request, Arena arena) throws IOException {
        Reply reply = new Reply(arena);
        owner.access().answer(request, reply);
        send(reply.answer);
        return reply;
    }

    /**
     * What is to be sent when the monitor of the access is left: a requester that does not read must not keep others
     * out.
     */
    private final class Reply implements Access.Reply<Serving> {

        private final Arena arena;
        private MemorySegment answer = MemorySegment.NULL;

        private Reply(Arena arena) {
            this.arena = arena;
        }

        private boolean isAccepted() {
            return TcpGreeting.isAccepted(answer);
        }

        @Override
        public Serving accept(Request request) {
            Thread.currentThread().setName(owner.name() + "-from-" + request.rank() + "-" + request.lane());
            answer = TcpGreeting.accept(owner.incarnation(), owner.segment().size(), arena);
            return Serving.this;
        }

        @Override
        public void refuse(Refusal refusal) {
            answer = TcpGreeting.refuse(refusal, owner.incarnation(), arena);
        }
    }

    private void receive(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (wire.read(bytes) < 0) {
                throw new EOFException();
            }
        }
    }

    private void send(MemorySegment bytes) throws IOException {
        sendAll(bytes.asByteBuffer());
    }

    private void sendAll(ByteBuffer bytes) throws IOException {
        boolean isSent = false;
        while (!isSent) {
            isSent = wire.write(bytes);
        }
    }

    // --- serving ---

    private void serve(Arena arena) throws IOException {
        FrameExecutor executor = new FrameExecutor(owner.segment());
        MemorySegment in = arena.allocate(IN_BYTES, Long.BYTES);
        MemorySegment out = arena.allocate(OUT_BYTES, Long.BYTES);
        ByteBuffer inBytes = in.asByteBuffer();
        ByteBuffer outBytes = out.asByteBuffer();
        while (wire.read(inBytes) >= 0) {
            heard = heard + 1;
            int end = inBytes.position();
            int at = 0;
            int answered = 0;
            while (isWhole(in, at, end)) {
                int bytes = in.get(JAVA_INT, at + Frame.BYTES);
                countOn(in.get(JAVA_LONG, at + Frame.NUMBER));
                if (answered + Frame.MAXIMUM_BYTES > OUT_BYTES) {
                    sendAll(outBytes.position(0).limit(answered));
                    answered = 0;
                }
                answered += executor.execute(in, at, out, answered);
                at += bytes;
            }
            if (answered > 0) {
                sendAll(outBytes.position(0).limit(answered));
            }
            inBytes.position(at).limit(end).compact();
        }
    }

    /** Returns whether a whole frame stands there. */
    private static boolean isWhole(MemorySegment in, int at, int end) throws MalformedFrameException {
        if (end - at < Frame.HEADER_BYTES) {
            return false;
        }
        int bytes = in.get(JAVA_INT, at + Frame.BYTES);
        if (!Frame.isFrame(bytes)) {
            throw new MalformedFrameException("a request cannot have so many bytes: bytes=" + bytes);
        }
        return end - at >= bytes;
    }

    private void countOn(long number) throws MalformedFrameException {
        if (number != lastNumber + 1) {
            throw new MalformedFrameException("requests are counted: number=" + number + " last=" + lastNumber);
        }
        lastNumber = number;
    }
}
