package io.atoll.spring.cache;

import io.atoll.codec.VariableCodec;
import io.atoll.codec.VariableCodecs;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.interceptor.SimpleKey;

/**
 * Encodes keys of caches as bytes. Equal keys have the same bytes at every rank. Keys of different types have different
 * bytes. A key may be a value with a codec, or a list of such values. It may also be Spring's own key of several
 * arguments.
 */
final class CacheKeys {

    private static final String NULL = "";
    private static final String SEVERAL = "(";

    // The arguments of Spring's key have no accessor. Its text does not tell ("a, b", "c") from ("a", "b, c").
    private static final VarHandle ARGUMENTS;

    static {
        try {
            ARGUMENTS = MethodHandles.privateLookupIn(SimpleKey.class, MethodHandles.lookup())
                    .findVarHandle(SimpleKey.class, "params", Object[].class);
        } catch (ReflectiveOperationException changed) {
            throw new ExceptionInInitializerError(changed);
        }
    }

    private CacheKeys() {}

    /** @throws IllegalArgumentException if the key, or a part of it, has no codec */
    static byte[] encode(String cache, Object key) {
        try {
            var bytes = new ByteArrayOutputStream();
            write(cache, key, new DataOutputStream(bytes));
            return bytes.toByteArray();
        } catch (IOException impossible) {
            throw new UncheckedIOException("arrays take all that is written", impossible);
        }
    }

    private static void write(String cache, @Nullable Object key, DataOutputStream target) throws IOException {
        switch (key) {
            case null -> target.writeUTF(NULL);
            case SimpleKey several -> writeAll(cache, Arrays.asList((Object[]) ARGUMENTS.get(several)), target);
            case List<?> several -> writeAll(cache, several, target);
            default -> writeOne(cache, key, target);
        }
    }

    private static void writeAll(String cache, List<?> keys, DataOutputStream target) throws IOException {
        target.writeUTF(SEVERAL);
        target.writeInt(keys.size());
        for (Object key : keys) {
            write(cache, key, target);
        }
    }

    private static void writeOne(String cache, Object key, DataOutputStream target) throws IOException {
        VariableCodec<Object> codec = codec(cache, key);
        byte[] bytes = codec.encode(key);
        target.writeUTF(codec.name());
        target.writeInt(bytes.length);
        target.write(bytes);
    }

    @SuppressWarnings("unchecked") // the codec was found by the key's class
    private static VariableCodec<Object> codec(String cache, Object key) {
        Class<?> type = key instanceof Enum<?> constant ? constant.getDeclaringClass() : key.getClass();
        if (!VariableCodecs.has(type)) {
            throw new IllegalArgumentException(
                    "the keys of a cache are texts, numbers, UUIDs, enums, records and lists of those: cache=" + cache
                            + " class=" + type.getName());
        }
        return (VariableCodec<Object>) VariableCodecs.forType(type);
    }
}
