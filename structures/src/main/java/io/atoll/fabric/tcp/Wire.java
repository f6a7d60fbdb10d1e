package io.atoll.fabric.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * The bytes of a connection, plain or encrypted. One thread at a time reads, and one writes. The methods block if the
 * channel does.
 */
interface Wire extends AutoCloseable {

    SocketChannel channel();

    /** Reads as the channel does. May return 0 even if the channel blocks. */
    int read(ByteBuffer target) throws IOException;

    /** Returns true if more can be read although nothing more has arrived at the channel. */
    boolean hasMore();

    /** Takes as much of the source as it can. Returns true if the socket has all of it, and everything taken before. */
    boolean write(ByteBuffer source) throws IOException;

    /**
     * Returns bytes that both ends of this connection know and that no other connection has. Returns no bytes if
     * nothing is encrypted.
     */
    byte[] binding();

    /** Closes the channel and frees the wire's own memory. No thread may use the wire any more. May be called again. */
    @Override
    void close() throws IOException;
}
