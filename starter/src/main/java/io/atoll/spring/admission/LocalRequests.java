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
 * Tells requests of this machine from others, where the application listens on a loopback address. Only this machine reaches such an address, and yet others
 * may speak through it:
 *
 * <ul>
 * <li>A page of the Internet whose name was made to point to 127.0.0.1: it calls the host by that name.
 * <li>A page of the Internet that sends a form: the browser names its origin.
 * <li>A proxy on this machine: it says in headers that it is one. One that adds none cannot be told. Where the server itself reads these headers
 * ({@code server.forward-headers-strategy=native}), it has taken them away: no request counts as one of this machine.
 * </ul>
 */
final class LocalRequests {

    private static final Pattern LOOPBACK_NAME = Pattern
            .compile("localhost|.+\\.localhost|127(\\.[0-9]{1,3}){3}|\\[?(0:0:0:0:0:0:0:1|::1)]?",
                    Pattern.CASE_INSENSITIVE);

    private static final Set<String> PROXY_HEADERS = Set.of("forwarded", "via", "x-real-ip");
    private static final String PROXY_HEADERS_PREFIX = "x-forwarded-";

    /** Tomcat's {@code RemoteIpValve} leaves it at each request that it may have rewritten. */
    private static final String TOMCAT_BELIEVES_PROXIES = "org.apache.tomcat.request.forwarded";

    private final boolean onLoopback;

    /** @param address where the application listens; null is everywhere */
    LocalRequests(@Nullable InetAddress address) {
        onLoopback = address != null && address.isLoopbackAddress();
    }

    /** Whether the application listens on a loopback address only. */
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

    /** A filter that believes the headers of a proxy wraps a request, and shows it without them. */
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
     * Returns whether the server itself believes proxies. Then it takes the caller's address from the headers and takes these away. A caller behind a proxy
     * can send a header that names a loopback address, so the address proves nothing.
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
