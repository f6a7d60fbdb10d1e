package io.atoll.admin.api;

import org.jspecify.annotations.Nullable;

/**
 * What the caller may do.
 *
 * @param user the name of the caller as the application has authenticated it; null if it has not
 * @param mayAct true if the caller's actions would be done
 * @param actions true if the application has enabled actions
 * @param why the reason if the caller may not act, otherwise null
 */
record Session(@Nullable String user, boolean mayAct, boolean actions, @Nullable String why) {}
