package io.atoll.app.node;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Who may see the console of a node, and act there.
 *
 * @param users by name; without any and without another way to sign in, the console answers as {@code atoll.admin} says
 * @param authoritiesClaim the claim of an identity provider that says which of its users act: those for whom it is or
 * has the value {@value io.atoll.admin.api.ActionGuard#AUTHORITY}. Without, none of them acts
 */
@ConfigurationProperties("node")
record NodeUsers(@DefaultValue Map<String, User> users, @Nullable String authoritiesClaim) {

    /**
     * A user.
     *
     * @param password as it is, or encoded, such as <code>{bcrypt}$2a$...</code>
     * @param role what the user may do
     */
    record User(@DefaultValue("") String password, @DefaultValue("reader") Role role) {}

    /** What a user may do. */
    enum Role {
        /** See the console. */
        READER,
        /** Also act, where {@code atoll.admin.actions} says that somebody may. */
        ADMIN
    }
}
