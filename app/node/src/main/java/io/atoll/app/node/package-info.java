/**
 * A node is a rank of a world as a Spring Boot application, with the console. All ranks of one host can be started
 * together.
 */
@NullMarked
package io.atoll.app.node;

import org.jspecify.annotations.NullMarked;
