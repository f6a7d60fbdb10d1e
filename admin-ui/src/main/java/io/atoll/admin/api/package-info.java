/** The REST API: what a rank knows of its world, read-only. */
@NullMarked
package io.atoll.admin.api;

import org.jspecify.annotations.NullMarked;
