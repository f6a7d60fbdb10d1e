/**
 * DiSNI's verbs API on Java's foreign functions. Programs written for DiSNI run on libibverbs and librdmacm as they are
 * installed everywhere, without DiSNI's own native library, and with atomics.
 *
 * <p>Read {@code ForeignVerbs} and {@code ForeignRdmaCm} (the two providers), {@code NativeLibrary} and
 * {@code NativeFunction} (C as Java sees it), {@code Ibverbs} and {@code Rdmacm} (the two libraries), then
 * {@code QueuePair} and {@code CompletionQueue} with {@code PostSend} and {@code PollCompletions}, which work without
 * allocation.
 */
@NullMarked
package io.atoll.disni;

import org.jspecify.annotations.NullMarked;
