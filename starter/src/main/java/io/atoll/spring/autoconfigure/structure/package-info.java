/** Creates beans of the structures that properties name. */
@NullMarked
package io.atoll.spring.autoconfigure.structure;

import org.jspecify.annotations.NullMarked;
