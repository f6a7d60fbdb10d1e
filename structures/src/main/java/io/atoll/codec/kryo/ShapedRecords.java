package io.atoll.codec.kryo;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import com.esotericsoftware.kryo.serializers.RecordSerializer;

/**
 * Stores records. Kryo stores their components in order and without names. So a hash of its class's shape precedes each
 * record, so that no component is read as another. The shape of a structure's values does not suffice: it does not
 * cover classes that only an object brings in.
 */
final class ShapedRecords<T extends Record> extends RecordSerializer<T> {

    private final Class<T> type;
    private final int shape;

    ShapedRecords(Class<T> type) {
        super(type);
        this.type = type;
        this.shape = ObjectShape.ofRecord(type).hashCode();
    }

    @Override
    public void write(Kryo kryo, Output output, T value) {
        output.writeInt(shape);
        super.write(kryo, output, value);
    }

    @Override
    public T read(Kryo kryo, Input input, Class<? extends T> of) {
        if (input.readInt() != shape) {
            throw new IllegalArgumentException(
                    "the record was stored by a process in which its class has other components, stop all"
                            + " processes of the world before one starts with the changed class: here="
                            + ObjectShape.ofRecord(type));
        }
        return super.read(kryo, input, of);
    }
}
