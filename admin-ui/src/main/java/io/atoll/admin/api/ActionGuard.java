package io.atoll.admin.api;

import io.atoll.spring.admission.ForeignPages;
import io.atoll.spring.admission.Refusal;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.security.core.Authentication;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Lets an action through only if the application has enabled actions. The user must also be authenticated by the
 * application and have the authority {@value #AUTHORITY}. It is never enough that a request comes from this machine. No
 * page of another origin can act through a user's browser. Such a page cannot send JSON, and the browser names its
 * origin.
 */
public final class ActionGuard implements HandlerInterceptor {

    /** The authority that a user must have, either as a role or by exactly this name. */
    public static final String AUTHORITY = "ATOLL_ADMIN";

    private static final boolean HAS_SPRING_SECURITY = ClassUtils
            .isPresent("org.springframework.security.core.Authentication", ActionGuard.class.getClassLoader());

    private final boolean actions;
    private final Audit audit;

    ActionGuard(boolean actions, Audit audit) {
        this.actions = actions;
        this.audit = audit;
    }

    Session session(HttpServletRequest request) {
        Principal user = request.getUserPrincipal();
        String refusal = refusal(request);
        return new Session(user == null ? null : user.getName(), refusal == null, actions, refusal);
    }

    /** Returns why the sender of this request may not act, or null if the sender may. */
    private @Nullable String refusal(HttpServletRequest request) {
        if (!actions) {
            return "this application has no actions, it would by atoll.admin.actions=true";
        }
        Principal user = request.getUserPrincipal();
        if (user == null) {
            return "nobody is authenticated, and only users act: the application needs Spring Security, or another"
                    + " authentication of its own";
        }
        return request.isUserInRole(AUTHORITY) || HAS_SPRING_SECURITY && Authorities.has(user)
                ? null
                : "the user has not the authority " + AUTHORITY + ": user=" + user.getName();
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
            throws IOException {
        if (!(handler instanceof HandlerMethod method) || !method.getBeanType().equals(ActionController.class)) {
            return true;
        }
        String refusal = refusal(request);
        if (refusal == null) {
            refusal = ForeignPages.refusal(request);
        }
        if (refusal != null) {
            return refuse(request, response, method, HttpServletResponse.SC_FORBIDDEN, "Forbidden", refusal);
        }
        if (!isJson(request.getContentType())) {
            return refuse(request, response, method, HttpServletResponse.SC_UNSUPPORTED_MEDIA_TYPE,
                    "Unsupported Media Type", "an action is sent as application/json");
        }
        return true;
    }

    private static boolean isJson(@Nullable String contentType) {
        try {
            return contentType != null
                    && MediaType.APPLICATION_JSON.equalsTypeAndSubtype(MediaType.parseMediaType(contentType));
        } catch (InvalidMediaTypeException unreadable) {
            return false;
        }
    }

    private boolean refuse(HttpServletRequest request, HttpServletResponse response, HandlerMethod action, int status,
            String title, String detail) throws IOException {
        Principal user = request.getUserPrincipal();
        audit.refuse(user == null ? null : user.getName(), request.getRemoteAddr(), name(action), detail);
        Refusal.answer(response, status, title, detail);
        return false;
    }

    /** Returns the action's name in the API, under whatever path the application has put it. */
    private static String name(HandlerMethod action) {
        PostMapping mapping = action.getMethodAnnotation(PostMapping.class);
        return mapping == null ? action.getMethod().getName() : mapping.value()[0].substring(1);
    }

    /**
     * A class of its own: an application without Spring Security does not need the classes that it uses.
     */
    private static final class Authorities {

        static boolean has(Principal user) {
            return user instanceof Authentication authentication && authentication.isAuthenticated()
                    && authentication.getAuthorities()
                            .stream()
                            .anyMatch(authority -> AUTHORITY.equals(authority.getAuthority()));
        }
    }
}
