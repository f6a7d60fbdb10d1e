package io.atoll.spring.admission;

import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import java.net.URI;
import java.util.Collections;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Tells requests of this machine from others, where the application listens on a loopback address. Only this machine
 * reaches such an address, and yet others may speak through it:
 * <ul>
 * <li>A page of the Internet whose name was made to point to 127.0.0.1: it calls the host by that name.
 * <li>A page of the Internet that sends a form: the browser names its origin.
 * <li>A proxy on this machine: its headers say that it is one. A proxy that adds none cannot be recognized. If the
 * server itself reads these headers ({@code server.forward-headers-strategy=native}), it has removed them. Then no
 * request counts as one of this machine.
 * </ul>
 */
final class LocalRequests {

    private static final Pattern LOOPBACK_NAME = Pattern
            .compile("localhost|.+\\.localhost|127(\\.[0-9]{1,3}){3}|\\[?(0:0:0:0:0:0:0:1|::1)]?",
                    Pattern.CASE_INSENSITIVE);

    private static final Set<String> PROXY_HEADERS = Set.of("forwarded", "via", "x-real-ip");
    private static final String PROXY_HEADERS_PREFIX = "x-forwarded-";

    /** Tomcat's {@code RemoteIpValve} sets this attribute on each request that it may have rewritten. */
    private static final String TOMCAT_BELIEVES_PROXIES = "org.apache.tomcat.request.forwarded";

    private final boolean onLoopback;

    /** @param address the address at which the application listens; null means all addresses */
    LocalRequests(@Nullable InetAddress address) {
        onLoopback = address != null && address.isLoopbackAddress();
    }

    /** Returns true if the application listens on a loopback address only. */
    boolean onLoopback() {
        return onLoopback;
    }

    boolean isLocal(HttpServletRequest request) {
        HttpServletRequest arrived = asItArrived(request);
        return onLoopback && isLoopback(arrived.getServerName()) && isLoopback(arrived.getRemoteAddr())
                && !isPassedOn(arrived) && !mayBeRewritten(arrived) && isOfALocalPage(arrived);
    }

    private static boolean isLoopback(@Nullable String host) {
        return host != null && LOOPBACK_NAME.matcher(host).matches();
    }

    /**
     * Returns the original request. A filter that believes a proxy's headers wraps the request, and hides these
     * headers.
     */
    private static HttpServletRequest asItArrived(HttpServletRequest request) {
        ServletRequest inner = request;
        while (inner instanceof ServletRequestWrapper wrapper) {
            inner = wrapper.getRequest();
        }
        return inner instanceof HttpServletRequest arrived ? arrived : request;
    }

    private static boolean isPassedOn(HttpServletRequest request) {
        return Collections.list(request.getHeaderNames())
                .stream()
                .map(name -> name.toLowerCase(Locale.ROOT))
                .anyMatch(name -> PROXY_HEADERS.contains(name) || name.startsWith(PROXY_HEADERS_PREFIX));
    }

    /**
     * Returns true if the server itself believes proxies. Then it takes the caller's address from the headers, and
     * removes them. A caller behind a proxy can send a header with a loopback address, so the address proves nothing.
     */
    private static boolean mayBeRewritten(HttpServletRequest request) {
        return request.getAttribute(TOMCAT_BELIEVES_PROXIES) != null;
    }

    private static boolean isOfALocalPage(HttpServletRequest request) {
        String origin = request.getHeader("Origin");
        if (origin == null) {
            return true;
        }
        try {
            return isLoopback(URI.create(origin).getHost());
        } catch (IllegalArgumentException unreadable) {
            return false;
        }
    }
}
