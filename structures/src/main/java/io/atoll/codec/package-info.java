/**
 * How values lie in memory: what a codec is, how records are taken apart, and the hash of stored values.
 *
 * <p>Read {@link io.atoll.codec.Codec} (a fixed size) with {@code Shape}, then {@link io.atoll.codec.VariableCodec}
 * (any size). {@link io.atoll.codec.Codecs} and {@link io.atoll.codec.VariableCodecs} make codecs of types.
 */
@NullMarked
package io.atoll.codec;

import org.jspecify.annotations.NullMarked;
