/** Auto-configuration of the health and the endpoint by which Spring Boot's actuator shows a world. */
@NullMarked
package io.atoll.spring.autoconfigure.actuate;

import org.jspecify.annotations.NullMarked;
