/** The REST API: what a rank knows of its world, and the actions of operators. */
@NullMarked
package io.atoll.admin.api;

import org.jspecify.annotations.NullMarked;
