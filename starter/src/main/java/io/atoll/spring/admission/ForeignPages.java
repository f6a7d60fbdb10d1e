package io.atoll.spring.admission;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.util.Collections;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Refuses changes that a page of another origin requests through a user's browser. The browser sends the user's
 * credentials with such a request, but it also says from which page the request comes. Callers other than browsers say
 * nothing, and are let through.
 */
public final class ForeignPages implements HandlerInterceptor {

    private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS", "TRACE");
    private static final Set<String> OWN_SITES = Set.of("same-origin", "none");
    private static final Pattern UNSAFE = Pattern.compile("[^A-Za-z0-9.:/\\-\\[\\]]");
    private static final int LONGEST_TOLD = 100;
    private static final int UNTOLD = -1;
    private static final int HTTP = 80;
    private static final int HTTPS = 443;

    /**
     * Returns why the request may come from a page of another origin, or null if it does not. What the request says of
     * itself is told without line breaks, since logs tell it, too.
     */
    public static @Nullable String refusal(HttpServletRequest request) {
        // A header that is repeated must be right each time, since another program may have looked at another value.
        for (String site : Collections.list(request.getHeaders("Sec-Fetch-Site"))) {
            if (!OWN_SITES.contains(site)) {
                return "a page of another site must not act: Sec-Fetch-Site=" + told(site);
            }
        }
        String own = origin(request.getScheme(), request.getServerName(), request.getServerPort());
        for (String origin : Collections.list(request.getHeaders(HttpHeaders.ORIGIN))) {
            if (!own.equals(normalized(origin))) {
                return "a page of another origin must not act; behind a proxy that ends TLS, set"
                        + " server.forward-headers-strategy=framework: Origin=" + told(origin) + " own=" + told(own);
            }
        }
        return null;
    }

    private static @Nullable String normalized(String origin) {
        try {
            URI uri = URI.create(origin);
            return uri.getScheme() == null || uri.getHost() == null || uri.getUserInfo() != null
                    ? null
                    : origin(uri.getScheme(), uri.getHost(), uri.getPort());
        } catch (IllegalArgumentException unreadable) {
            return null;
        }
    }

    private static String origin(String scheme, String host, int port) {
        String lowerCase = scheme.toLowerCase(Locale.ROOT);
        int usual = lowerCase.equals("https") ? HTTPS : HTTP;
        return lowerCase + "://" + host.toLowerCase(Locale.ROOT) + ":" + (port == UNTOLD ? usual : port);
    }

    private static String told(String header) {
        return UNSAFE.matcher(header.substring(0, Math.min(header.length(), LONGEST_TOLD))).replaceAll("?");
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
            throws IOException {
        String refusal = READING.contains(request.getMethod()) ? null : refusal(request);
        if (refusal == null) {
            return true;
        }
        Refusal.answer(response, HttpServletResponse.SC_FORBIDDEN, "Forbidden", refusal);
        return false;
    }
}
