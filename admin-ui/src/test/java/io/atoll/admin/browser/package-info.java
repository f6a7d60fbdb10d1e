/** The page of the console in a browser. */
@NullMarked
package io.atoll.admin.browser;

import org.jspecify.annotations.NullMarked;
