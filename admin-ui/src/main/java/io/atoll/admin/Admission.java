package io.atoll.admin;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.InetAddress;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Lets in whom the application has authenticated, by Spring Security or otherwise; and everyone who can reach it where the application listens on a
 * loopback address, or says that it wants to be open. Everyone else is refused and told how to open it.
 *
 * <p>On loopback the request must also call the host by a loopback name: a page of the Internet whose name was made to point to 127.0.0.1 does
 * not, nor does a proxy through which the world comes in.
 */
final class Admission implements HandlerInterceptor {

    static final String CLOSED = "The Atoll console is closed. It opens when the application listens on a loopback address"
            + " (server.address=127.0.0.1) and is called by one, when Spring Security has authenticated the request, or for everyone by"
            + " atoll.admin.exposed=true";

    private static final Logger LOG = LoggerFactory.getLogger(Admission.class);

    private static final Pattern LOOPBACK_NAME = Pattern
            .compile("localhost|.+\\.localhost|127(\\.[0-9]{1,3}){3}|\\[?(0:0:0:0:0:0:0:1|::1)]?",
                    Pattern.CASE_INSENSITIVE);

    private final boolean exposed;
    private final boolean onLoopback;

    /** @param address where the application listens; null is everywhere */
    Admission(boolean exposed, @Nullable InetAddress address) {
        this.exposed = exposed;
        this.onLoopback = address != null && address.isLoopbackAddress();
        if (exposed) {
            LOG.warn(
                    "the console under /atoll answers everyone who reaches this application: atoll.admin.exposed=true");
        } else if (!onLoopback) {
            LOG.warn("{} (unauthenticated requests are refused: server.address={})", CLOSED, address);
        }
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        boolean admitted = exposed
                || request.getUserPrincipal() != null
                || onLoopback && LOOPBACK_NAME.matcher(request.getServerName()).matches();
        if (!admitted) {
            throw new ErrorResponseException(HttpStatus.FORBIDDEN,
                    ProblemDetail.forStatusAndDetail(HttpStatus.FORBIDDEN, CLOSED), null);
        }
        return true;
    }
}
