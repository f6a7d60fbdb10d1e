/** Auto-configuration of what Spring Boot's actuator shows of a world. */
@NullMarked
package io.atoll.spring.autoconfigure.actuate;

import org.jspecify.annotations.NullMarked;
