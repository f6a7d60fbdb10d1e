package io.atoll.codec.kryo;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Registration;
import com.esotericsoftware.kryo.SerializerFactory;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import com.esotericsoftware.kryo.serializers.CompatibleFieldSerializer;
import com.esotericsoftware.kryo.serializers.DefaultSerializers;
import com.esotericsoftware.kryo.serializers.EnumNameSerializer;
import com.esotericsoftware.kryo.util.DefaultInstantiatorStrategy;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.objenesis.strategy.StdInstantiatorStrategy;

/** Turns objects and what they refer to into bytes and back. One thread at a time uses it. */
final class ObjectGraphs {

    /** The maximal number of references from one object to the next in a row: deeper graphs would exhaust the stack. */
    private static final int MAXIMUM_DEPTH = 512;

    private static final int FIRST_BYTES = 256;
    private static final int ANY_BYTES = -1;

    private final Kryo kryo;

    /** @param loader finds the classes; null for the JDK's */
    ObjectGraphs(@Nullable ClassLoader loader, AllowedClasses allowed) {
        kryo = new Guarded(allowed);
        kryo.setRegistrationRequired(false); // names instead of numbers, which ranks would have to agree on
        kryo.setReferences(true);
        kryo.setMaxDepth(MAXIMUM_DEPTH);
        kryo.setDefaultSerializer(CompatibleFieldSerializer.class);
        kryo.setInstantiatorStrategy(new DefaultInstantiatorStrategy(new StdInstantiatorStrategy()));
        kryo.addDefaultSerializer(Record.class, new RecordsAsShaped());
        // numbers would change with the order of the constants
        kryo.addDefaultSerializer(Enum.class, EnumNameSerializer.class);
        kryo.addDefaultSerializer(UUID.class, DefaultSerializers.UUIDSerializer.class);
        if (loader != null) {
            kryo.setClassLoader(loader);
        }
    }

    byte[] write(Object value) {
        try (Output output = new Output(FIRST_BYTES, ANY_BYTES)) {
            kryo.writeClassAndObject(output, value);
            return output.toBytes();
        }
    }

    @Nullable Object read(byte[] bytes) {
        try (Input input = new Input(bytes)) {
            Object value = kryo.readClassAndObject(input);
            if (!input.end()) {
                throw new IllegalArgumentException(
                        "more bytes than the object has: more=" + (input.limit() - input.position()));
            }
            return value;
        }
    }

    private static final class RecordsAsShaped extends SerializerFactory.BaseSerializerFactory<ShapedRecords<?>> {

        @Override
        @SuppressWarnings({"rawtypes", "unchecked"}) // as Kryo declares it
        public ShapedRecords<?> newSerializer(Kryo kryo, Class type) {
            return new ShapedRecords<>(type);
        }
    }

    /**
     * Checks every class before an object of it is written or made: a class name that was read is looked up, and no
     * code of the class runs.
     */
    private static final class Guarded extends Kryo {

        private final AllowedClasses allowed;

        private Guarded(AllowedClasses allowed) {
            this.allowed = allowed;
        }

        @Override
        @SuppressWarnings("rawtypes") // as Kryo declares it
        public Registration getRegistration(Class type) {
            if (!allowed.allow(type)) {
                throw new IllegalArgumentException(
                        "the class is not allowed, name it in atoll.codec.allowed-classes or AllowedClasses.of: class="
                                + type.getName());
            }
            return super.getRegistration(type);
        }
    }
}
