/** REST API and console of a running world. */
@NullMarked
package io.atoll.admin;

import org.jspecify.annotations.NullMarked;
