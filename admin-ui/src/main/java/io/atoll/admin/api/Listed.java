package io.atoll.admin.api;

import java.util.List;

/** A list that is short enough to be sent whole. */
record Listed<T>(List<T> items) {}
