package io.atoll.fabric.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * The bytes of a connection, as they are or encrypted. One thread at a time reads and one writes. Waits where the
 * channel does.
 */
interface Wire extends AutoCloseable {

    SocketChannel channel();

    /** As that of the channel. May return 0 also where the channel blocks. */
    int read(ByteBuffer target) throws IOException;

    /** Returns whether more can be read without the channel having more. */
    boolean hasMore();

    /**
     * Takes of the source what it can. Returns whether all of it has gone to the socket, with all that was taken
     * before.
     */
    boolean write(ByteBuffer source) throws IOException;

    /**
     * Returns bytes that both ends of this connection know, and that no other connection has; none where nothing is
     * encrypted.
     */
    byte[] binding();

    /** Closes the channel and gives its own memory back, when nobody uses it any more. May be called again. */
    @Override
    void close() throws IOException;
}
