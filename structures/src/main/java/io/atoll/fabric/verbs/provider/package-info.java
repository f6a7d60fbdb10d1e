/**
 * DiSNI's verbs API on Java's foreign functions: programs written for DiSNI run on libibverbs and librdmacm as they are installed everywhere, without
 * DiSNI's own native library, and with atomics.
 */
@NullMarked
package io.atoll.fabric.verbs.provider;

import org.jspecify.annotations.NullMarked;
