package io.atoll.fabric.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A wire without encryption. */
class PlainWire implements Wire {

    private final SocketChannel channel;

    PlainWire(SocketChannel channel) {
        this.channel = channel;
    }

    @Override
    public SocketChannel channel() {
        return channel;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        return channel.read(target);
    }

    @Override
    public boolean hasMore() {
        return false;
    }

    @Override
    public boolean write(ByteBuffer source) throws IOException {
        channel.write(source);
        return !source.hasRemaining();
    }

    @Override
    public byte[] binding() {
        return new byte[0];
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
