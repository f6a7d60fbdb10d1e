package io.atoll.map;

import io.atoll.codec.Codec;
import java.lang.foreign.MemorySegment;
import java.util.Map;

/** A key, and its value behind it. */
record EntryCodec<K, V>(Codec<K> keys, Codec<V> values) implements Codec<Map.Entry<K, V>> {

    @Override
    public String name() {
        return "entry(" + keys.name() + "," + values.name() + ")";
    }

    @Override
    public int bytes() {
        return keys.bytes() + values.bytes();
    }

    @Override
    public void encode(Map.Entry<K, V> entry, MemorySegment target, long position) {
        keys.encode(entry.getKey(), target, position);
        values.encode(entry.getValue(), target, position + keys.bytes());
    }

    @Override
    public Map.Entry<K, V> decode(MemorySegment source, long position) {
        return Map.entry(keys.decode(source, position), values.decode(source, position + keys.bytes()));
    }
}
