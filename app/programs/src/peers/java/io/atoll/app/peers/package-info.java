/** Compares structures of several processes with what Java developers use inside one. */
@NullMarked
package io.atoll.app.peers;

import org.jspecify.annotations.NullMarked;
