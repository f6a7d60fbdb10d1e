/** What every command needs: how it fails, and how it starts another process of the same program. */
@NullMarked
package io.atoll.app.command;

import org.jspecify.annotations.NullMarked;
