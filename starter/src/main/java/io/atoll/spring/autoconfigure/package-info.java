/** Auto-configuration of a world and its named structures. */
@NullMarked
package io.atoll.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
