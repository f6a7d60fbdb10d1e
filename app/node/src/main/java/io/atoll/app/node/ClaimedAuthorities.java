package io.atoll.app.node;

import io.atoll.admin.api.ActionGuard;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.authority.AuthorityUtils;

/**
 * Decides what the users of an identity provider may do. Every user may read. A user may also act if the claim is
 * {@value ActionGuard#AUTHORITY}, or a list with exactly this text. No other value gives a right.
 *
 * @param claim the claim's name; null if there is none, so that no user may act
 */
record ClaimedAuthorities(@Nullable String claim) {

    static final List<GrantedAuthority> READER = AuthorityUtils.createAuthorityList("ATOLL_READER");
    static final List<GrantedAuthority> ADMIN = AuthorityUtils.createAuthorityList(ActionGuard.AUTHORITY);

    List<GrantedAuthority> of(Map<String, Object> claims) {
        Object claimed = claim == null ? null : claims.get(claim);
        boolean acts = claimed instanceof Collection<?> values
                ? values.contains(ActionGuard.AUTHORITY)
                : ActionGuard.AUTHORITY.equals(claimed);
        return acts ? ADMIN : READER;
    }
}
