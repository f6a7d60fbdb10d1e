/** One node: a rank of a world as a Spring Boot application, with the console; and all ranks of one host started together. */
@NullMarked
package io.atoll.app.node;

import org.jspecify.annotations.NullMarked;
