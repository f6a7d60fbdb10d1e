/**
 * DiSNI's verbs API on Java's foreign functions. Programs written for DiSNI run on libibverbs and librdmacm, which are
 * installed everywhere. They do not need DiSNI's own native library, and they have atomics.
 *
 * <p>Read in this order:
 * <ul>
 * <li>{@code ForeignVerbs} and {@code ForeignRdmaCm}: the two providers
 * <li>{@code NativeLibrary} and {@code NativeFunction}: C as Java sees it
 * <li>{@code Ibverbs} and {@code Rdmacm}: the two libraries
 * <li>{@code QueuePair} and {@code CompletionQueue} with {@code PostSend} and {@code PollCompletions}, which work
 * without allocation
 * </ul>
 */
@NullMarked
package io.atoll.disni;

import org.jspecify.annotations.NullMarked;
