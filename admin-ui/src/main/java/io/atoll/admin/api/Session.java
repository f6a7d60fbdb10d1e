package io.atoll.admin.api;

import org.jspecify.annotations.Nullable;

/**
 * What the caller may do.
 *
 * @param user as whom the application has authenticated the caller; null if it has not
 * @param mayAct whether the caller's actions would be done
 * @param actions whether the application has any
 * @param why the caller may not act, if so
 */
record Session(@Nullable String user, boolean mayAct, boolean actions, @Nullable String why) {}
