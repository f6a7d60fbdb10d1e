/** Structures without their particulars, for applications that only want the effect. */
@NullMarked
package io.atoll.template;

import org.jspecify.annotations.NullMarked;
