/** Shows a world in Spring Boot's health and in an actuator endpoint. */
@NullMarked
package io.atoll.spring.actuate;

import org.jspecify.annotations.NullMarked;
