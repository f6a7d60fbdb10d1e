package io.atoll.spring.admission;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Admits requests that the application has authenticated, by Spring Security or otherwise. Admits
 * {@linkplain LocalRequests requests of this machine} where the application listens on a loopback address. Admits every
 * request if the application says that it wants to be open. Refuses all others, with a hint how to open it.
 */
public final class Admission implements HandlerInterceptor {

    private static final String CLOSED = "The Atoll console is closed. It opens when the application listens on a "
            + "loopback address"
            + " (server.address=127.0.0.1) and is called by one and not through a proxy (nor with "
            + "server.forward-headers-strategy=native), when Spring Security has authenticated the request,"
            + " or for everyone by atoll.admin.exposed=true";

    private static final Logger LOG = LoggerFactory.getLogger(Admission.class);

    private static final String LOCAL_ONLY = "This application listens on a loopback address, and answers requests "
            + "of its machine there that come"
            + " through no proxy (none with server.forward-headers-strategy=native), and those that Spring Security "
            + "has authenticated";

    private final LocalRequests local;
    private final boolean open;
    private final String refusal;

    private Admission(LocalRequests local, boolean open, String refusal) {
        this.local = local;
        this.open = open;
        this.refusal = refusal;
    }

    /**
     * Returns the admission to pages that are closed unless the request is local or authenticated.
     *
     * @param exposed true to admit every request
     * @param address the address at which the application listens; null means all addresses
     */
    public static Admission toConsole(boolean exposed, @Nullable InetAddress address) {
        LocalRequests local = new LocalRequests(address);
        if (exposed) {
            LOG.warn(
                    "the console under /atoll answers everyone who reaches this application: atoll.admin.exposed=true");
        } else if (!local.onLoopback()) {
            LOG.info("{} (unauthenticated requests are refused: server.address={})", CLOSED, address);
        }
        return new Admission(local, exposed, CLOSED);
    }

    /**
     * Returns the admission to pages that an application shows to every caller that reaches it. Where it listens on a
     * loopback address, these are callers on its machine, and callers that it has authenticated.
     *
     * @param exposed true to admit every request
     * @param address the address at which the application listens; null means all addresses
     */
    public static Admission whereItListens(boolean exposed, @Nullable InetAddress address) {
        LocalRequests local = new LocalRequests(address);
        return new Admission(local, exposed || !local.onLoopback(), LOCAL_ONLY);
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
            throws IOException {
        if (admits(request)) {
            return true;
        }
        LOG.debug("refused a request: remoteAddress={}", request.getRemoteAddr());
        Refusal.answer(response, HttpServletResponse.SC_FORBIDDEN, "Forbidden", refusal);
        return false;
    }

    /** Returns true if the request is admitted. */
    public boolean admits(HttpServletRequest request) {
        return open || request.getUserPrincipal() != null || local.isLocal(request);
    }
}
