/** Work requests and completions as they lie in memory, and DiSNI's calls that post and poll them without allocation. */
@NullMarked
package io.atoll.fabric.verbs.provider.work;

import org.jspecify.annotations.NullMarked;
