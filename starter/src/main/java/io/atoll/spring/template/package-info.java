/** Structures without their particulars, for applications that only want the effect. */
@NullMarked
package io.atoll.spring.template;

import org.jspecify.annotations.NullMarked;
