/** Wraps structures for applications that only want the effect and not the details. */
@NullMarked
package io.atoll.spring.template;

import org.jspecify.annotations.NullMarked;
