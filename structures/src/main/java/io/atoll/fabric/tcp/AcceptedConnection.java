package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.atoll.fabric.link.AccessControl;
import io.atoll.fabric.link.ConnectRequest;
import io.atoll.fabric.link.Keys;
import io.atoll.fabric.link.Refusal;
import io.atoll.fabric.link.RefusalDetails;
import io.atoll.memory.SegmentHeader;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The life of a connection at the owner of the segment: which thread serves it, and when it has ended. A thread of its
 * own makes the handshake, and then serves requests. It goes on doing so if there are not too many such threads.
 * Otherwise it hands the connection over to a {@link ServingLoop}. {@link RequestAnswerer} has what both do: it reads,
 * executes and answers requests.
 *
 * <p>An error can end the thread anywhere. So the thread does not have to report that it executes nothing any more: its
 * termination says so. A loop survives an error, and reports it. In between no thread executes anything:
 * <pre>
 *   OWN        its thread makes the handshake, executes  ended: the thread has terminated
 *   OFFERED    no thread uses it                         the thread that ends it sets ENDED, and the loop drops it
 *   LOOPED     the loop executes                         ended: the loop has set ENDED
 * </pre>
 *
 * <p>A thread that may execute requests writes no log: a slow logger would delay a fence.
 */
final class AcceptedConnection {

    private enum State {
        OWN, OFFERED, LOOPED, ENDED
    }

    private static final long LOOK_MILLIS = 50; // how often to look for an end without a sign
    private static final long STACK_BYTES = 256 << 10;

    private final SocketChannel channel; // the thread is never interrupted: that would close it
    private boolean blocks = true; // if the channel does; used by the thread
    private volatile Wire wire; // written by the thread
    private final Listener owner;
    private final Thread thread;
    private final AtomicReference<State> state = new AtomicReference<>(State.OWN);
    private final CountDownLatch ended = new CountDownLatch(1); // opened soon after the state is ENDED
    private long beganNanos; // written by the thread that starts this connection
    private volatile boolean admitted;
    private volatile boolean handshakeOver; // written by the thread when its handshake ends
    private volatile boolean refused; // written by the thread
    private volatile boolean keepsThread;
    private volatile long heard; // counts reads
    private volatile @Nullable ServingLoop loop; // the loop to which it is offered
    private @Nullable RequestAnswerer looped; // used by the loop

    AcceptedConnection(SocketChannel channel, Listener owner) {
        this.channel = channel;
        this.wire = new PlainWire(channel);
        this.owner = owner;
        this.thread = Thread.ofPlatform()
                .daemon()
                .name(owner.name() + "-from-stranger")
                .stackSize(STACK_BYTES)
                .inheritInheritableThreadLocals(false)
                .unstarted(this::run);
    }

    void start() {
        beganNanos = System.nanoTime();
        thread.start();
    }

    boolean isAdmitted() {
        return admitted;
    }

    /** Returns true if the other side was told a refusal, or if it only asked. */
    boolean isRefused() {
        return refused;
    }

    /** Returns true if the handshake has ended, well or not. An error may keep this from being set. */
    boolean isHandshakeOver() {
        return handshakeOver;
    }

    /** Returns when the handshake began. */
    long beganNanos() {
        return beganNanos;
    }

    /** Returns how often something has arrived. */
    long heard() {
        return heard;
    }

    /** Returns true if it has a thread of its own and keeps it. */
    boolean keepsThread() {
        return keepsThread && !hasEnded();
    }

    /** Lets it have its thread as long as the connection lives. */
    void keepThread() {
        keepsThread = true;
    }

    /** Makes the handshake. Then serves until the connection ends, or hands it over to a loop. */
    private void run() {
        boolean isOffered = false;
        try (Arena arena = Arena.ofConfined()) {
            if (handshake(arena)) {
                admitted = true;
                endHandshake();
                if (owner.mayKeepThread(this)) {
                    serve(ServingBuffers.allocate(arena));
                } else {
                    offerTo(owner.loops().next());
                    isOffered = true;
                }
            }
        } catch (Throwable end) {
            owner.noteEnd(this, end);
        } finally {
            if (!isOffered && (state.get() == State.OWN || endIfOffered())) {
                close();
            }
            endHandshake();
        }
    }

    private void endHandshake() {
        handshakeOver = true;
        owner.lookSoon();
    }

    // --- ending ---

    /** Returns true if nothing is executed any more, for whatever reason. */
    boolean hasEnded() {
        return switch (state.get()) {
            // True before the thread is started, too. A thread that has just terminated may have offered it, so look
            // again.
            case OWN -> !thread.isAlive() && state.get() == State.OWN;
            case OFFERED, LOOPED -> false;
            case ENDED -> true;
        };
    }

    /** Ends a connection that no thread uses. Returns true if this call has ended it. */
    private boolean endIfOffered() {
        return state.compareAndSet(State.OFFERED, State.ENDED);
    }

    /** Frees what the connection holds. Called when nothing is executed any more; may be called again. */
    void close() {
        try {
            wire.close();
        } catch (IOException unclosed) {
            owner.noteEnd(this, unclosed);
        }
    }

    /**
     * Ends the connection. When it returns, nothing is executed any more. The request in progress is done, and what
     * lies in the socket is never read.
     */
    void revoke() throws IOException {
        abandon();
        boolean interrupted = false;
        while (!hasEnded() && !endIfOffered()) {
            try {
                if (state.get() == State.OWN) {
                    thread.join(LOOK_MILLIS);
                } else {
                    ended.await(LOOK_MILLIS, TimeUnit.MILLISECONDS);
                }
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Makes the connection end soon. */
    void abandon() throws IOException {
        try {
            channel.close();
        } finally {
            // A loop that takes it from now on finds it closed or ended.
            ServingLoop offered = loop;
            if (offered != null && !endIfOffered()) {
                offered.lookForAbandoned();
            }
        }
    }

    // --- handshake ---

    private boolean handshake(Arena arena) throws IOException {
        MemorySegment preamble = arena.allocate(TcpHandshake.PREAMBLE);
        ByteBuffer begin = preamble.asByteBuffer();
        // Read the magic first, so as not to wait for a stranger.
        receive(begin.limit(Long.BYTES));
        if (preamble.get(JAVA_LONG, 0) != TcpHandshake.HANDSHAKE.magic()) {
            throw new MalformedFrameException("a stranger");
        }
        receive(begin.limit(begin.capacity()));
        Refusal refusal = TcpHandshake.refusal(preamble, owner.encryption() != null);
        if (refusal != null) {
            return refuse(null, refusal, arena);
        }
        boolean isTrusted = owner.encryption() == null || encrypt(owner.encryption());
        MemorySegment hello = arena.allocate(TcpHandshake.HELLO);
        receive(hello.asByteBuffer());
        ConnectRequest connectRequest = TcpHandshake.HANDSHAKE.readRequest(hello).orElse(null);
        if (connectRequest != null && connectRequest.layoutVersion() != SegmentHeader.LAYOUT_VERSION) {
            // In another layout version the rest may have another meaning.
            return refuse(null, Refusal.OTHER_LAYOUT, arena);
        }
        if (!isTrusted) {
            return refuse(connectRequest, Refusal.UNTRUSTED, arena);
        }
        if (TcpHandshake.proves(hello) != owner.keys().areNeeded()) {
            return refuse(connectRequest, Refusal.UNPROVED, arena);
        }
        return owner.keys().areNeeded()
                ? handshakeByProof(hello, connectRequest, arena)
                : answer(connectRequest, arena).isAccepted();
    }

    /** Returns true if the requester's certificate is a rank's, or if it needs none. */
    private boolean encrypt(Encryption encryption) throws IOException {
        TlsWire encrypted = new TlsWire(channel, encryption.engine(false), _ -> {});
        wire = encrypted;
        return encryption.isPeer(encrypted.session());
    }

    private boolean handshakeByProof(MemorySegment hello, @Nullable ConnectRequest connectRequest, Arena arena)
            throws IOException {
        MemorySegment challenge = TcpHandshake.challenge(arena);
        send(challenge);
        byte[] proofs = new byte[Keys.MOST * Keys.PROOF_BYTES];
        receive(ByteBuffer.wrap(proofs));
        byte[] asked = hello.toArray(JAVA_BYTE);
        byte[] challenged = challenge.toArray(JAVA_BYTE);
        int key = owner.keys().matching(proofs, Keys.CALLER, asked, challenged, wire.binding());
        if (key == Keys.NONE) {
            owner.delay(channel);
            tell(Refusal.UNPROVED, arena);
            throw new MalformedFrameException(Refusal.UNPROVED.words());
        }
        Reply reply = answer(connectRequest, arena);
        byte[] answered = reply.answer.toArray(JAVA_BYTE);
        send(MemorySegment.ofArray(owner.keys().proof(key, Keys.OWNER, asked, challenged, answered, wire.binding())));
        return reply.isAccepted();
    }

    /** Tells the requester the reason, and the log: whoever starts this process may have to change something, too. */
    private boolean refuse(@Nullable ConnectRequest connectRequest, Refusal refusal, Arena arena) throws IOException {
        SocketAddress from = channel.getRemoteAddress();
        tell(refusal, arena);
        owner.accessControl()
                .report(connectRequest, refusal, " from=" + from
                        + TcpHandshake.settings(owner.keys(), owner.encryption()));
        return false;
    }

    private void tell(Refusal refusal, Arena arena) throws IOException {
        refused = true;
        owner.refusals().count(refusal);
        send(TcpHandshake.HANDSHAKE.write(refusal, RefusalDetails.NOTHING, arena));
    }

    private Reply answer(@Nullable ConnectRequest connectRequest, Arena arena) throws IOException {
        Reply reply = new Reply(arena);
        owner.accessControl().answer(connectRequest, reply);
        send(reply.answer);
        return reply;
    }

    /**
     * Keeps the answer until the monitor of the access is left, and it can be sent. So a requester that does not read
     * keeps no others out.
     */
    private final class Reply implements AccessControl.Reply<AcceptedConnection> {

        private final Arena arena;
        private MemorySegment answer = MemorySegment.NULL;

        private Reply(Arena arena) {
            this.arena = arena;
        }

        private boolean isAccepted() {
            return TcpHandshake.isAccepted(answer);
        }

        @Override
        public AcceptedConnection accept(ConnectRequest connectRequest) {
            Thread.currentThread()
                    .setName(owner.name() + "-from-" + connectRequest.rank() + "-" + connectRequest.lane());
            answer = TcpHandshake.accept(owner.segment().size(), arena);
            return AcceptedConnection.this;
        }

        @Override
        public void refuse(Refusal refusal, RefusalDetails refusalDetails) {
            refused = true;
            answer = TcpHandshake.refuse(refusal, refusalDetails, arena);
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
        ByteBuffer buffer = bytes.asByteBuffer();
        boolean isSent = false;
        while (!isSent) {
            isSent = wire.write(buffer);
        }
    }

    // --- serving by its thread ---

    private void serve(ServingBuffers servingBuffers) throws IOException {
        RequestAnswerer answerer = new RequestAnswerer(wire, owner.segment());
        Spin spin = Spin.of(owner.settings());
        while (read(answerer, servingBuffers, spin) >= 0) {
            heard = heard + 1;
            while (!answerer.answer(servingBuffers)) {
                block(true); // there may be no room for the answer
            }
        }
    }

    /** Looks for requests before it sleeps. Returns less than 0 at the end of the connection. */
    private int read(RequestAnswerer answerer, ServingBuffers servingBuffers, Spin spin) throws IOException {
        while (spin.goesOn()) {
            block(false);
            int bytes = answerer.read(servingBuffers);
            if (bytes != 0) {
                spin.found();
                return bytes;
            }
        }
        spin.sleeps();
        block(true);
        return answerer.read(servingBuffers);
    }

    private void block(boolean blocking) throws IOException {
        if (blocks != blocking) {
            channel.configureBlocking(blocking);
            blocks = blocking;
        }
    }

    private void offerTo(ServingLoop next) throws IOException {
        next.open();
        block(false);
        looped = new RequestAnswerer(wire, owner.segment());
        loop = next;
        state.set(State.OFFERED);
        next.take(this);
    }

    // --- serving by a loop: called by the loop's thread ---

    /** Lets a loop serve the connection, unless it has ended. Returns true if the connection lives. */
    boolean begin(Selector ready, ServingBuffers servingBuffers) {
        if (!state.compareAndSet(State.OFFERED, State.LOOPED)) {
            return false;
        }
        SelectionKey key = null;
        try {
            key = channel.register(ready, 0, this);
        } catch (Throwable closed) {
            owner.noteEnd(this, closed);
        } finally {
            if (key == null) {
                finish();
            }
        }
        return key != null && advance(key, servingBuffers); // requests may have arrived with the handshake
    }

    /** Continues as far as possible without waiting. Returns true if the connection lives. */
    boolean advance(SelectionKey key, ServingBuffers servingBuffers) {
        boolean goesOn = false;
        try {
            key.interestOps(advance(servingBuffers));
            goesOn = true;
        } catch (Throwable end) {
            // The error concerns this connection: the loop continues with the others.
            owner.noteEnd(this, end);
        } finally {
            if (!goesOn) {
                finish();
            }
        }
        return goesOn;
    }

    /** Ends the connection if it was abandoned. Returns true if it was. */
    boolean finishAbandoned() {
        boolean isAbandoned = !channel.isOpen();
        if (isAbandoned) {
            finish();
        }
        return isAbandoned;
    }

    /** Ends the connection. The loop executes nothing of it any more. */
    void finish() {
        try {
            close();
        } finally {
            state.set(State.ENDED);
            ended.countDown();
        }
    }

    /**
     * Executes and answers requests, as many as there is room for. Reads once, unless answers have to be sent first. So
     * other connections of the loop have their turn.
     *
     * @return the operations that the connection waits for, as in {@link SelectionKey}
     */
    private int advance(ServingBuffers servingBuffers) throws IOException {
        RequestAnswerer answerer = Objects.requireNonNull(looped);
        answerer.use(servingBuffers);
        try {
            if (!answerer.answer(servingBuffers)) {
                return SelectionKey.OP_WRITE;
            }
            if (answerer.read(servingBuffers) < 0) {
                throw new EOFException("the rank has ended the connection");
            }
            heard = heard + 1;
            return answerer.answer(servingBuffers) ? SelectionKey.OP_READ : SelectionKey.OP_WRITE;
        } finally {
            answerer.leave(servingBuffers);
        }
    }
}
