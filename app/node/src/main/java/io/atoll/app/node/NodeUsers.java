package io.atoll.app.node;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The users who may see the console of a node and act there.
 *
 * @param users by name; without users and without another way to sign in, {@code atoll.admin} decides how the console
 * answers
 * @param authoritiesClaim the claim of an identity provider that says which of its users may act: those whose claim is
 * or contains {@value io.atoll.admin.api.ActionGuard#AUTHORITY}. If null, none of them may act
 */
@ConfigurationProperties("node")
record NodeUsers(@DefaultValue Map<String, User> users, @Nullable String authoritiesClaim) {

    /**
     * A user.
     *
     * @param password plain, or encoded, such as <code>{bcrypt}$2a$...</code>
     * @param role what the user may do
     */
    record User(@DefaultValue("") String password, @DefaultValue("reader") Role role) {}

    /** What a user may do. */
    enum Role {
        /** May see the console. */
        READER,
        /** May also act, if {@code atoll.admin.actions} allows actions. */
        ADMIN
    }
}
