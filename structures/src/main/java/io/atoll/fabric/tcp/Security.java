package io.atoll.fabric.tcp;

import java.util.ArrayList;
import java.util.List;

/**
 * By what ranks know each other.
 *
 * @param secrets one at least where ranks must prove that they know one: the first is the present one, the others are those that it replaces. Empty where anybody is let in
 */
public record Security(List<Secret> secrets) {

    /** Previous secrets, at most: a greeting has room for so many. */
    public static final int MOST_PREVIOUS = Keys.MOST - 1;

    public Security {
        secrets = List.copyOf(secrets);
        if (secrets.size() > Keys.MOST) {
            throw new IllegalArgumentException("at most " + MOST_PREVIOUS + " previous secrets can be known, drop the oldest: previous="
                    + (secrets.size() - 1));
        }
    }

    /** Anybody who reaches the port may read and write the segment. */
    public static Security none() {
        return new Security(List.of());
    }

    /** Ranks that know the secret are let in. What they send is not encrypted. */
    public static Security secret(Secret secret) {
        return new Security(List.of(secret));
    }

    /** Also lets in, and is let in by, ranks that know a previous secret: for the time in which the secret is changed rank by rank. */
    public Security previous(Secret secret) {
        List<Secret> all = new ArrayList<>(secrets);
        all.add(secret);
        return new Security(all);
    }
}
