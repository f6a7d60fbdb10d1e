package io.atoll.admin;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Tells browsers that the page consists of its own files and may not be embedded in another page. It also tells them to
 * store no answer of the API.
 */
final class ResponseHeaders implements HandlerInterceptor {

    private static final String OWN_FILES_ONLY = "default-src 'self'; base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'";

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("Content-Security-Policy", OWN_FILES_ONLY);
        response.setHeader("X-Frame-Options", "DENY");
        response.setHeader("Referrer-Policy", "no-referrer");
        // Files of the page set this header themselves.
        response.setHeader(HttpHeaders.CACHE_CONTROL, CacheControl.noStore().getHeaderValue());
        return true;
    }
}
