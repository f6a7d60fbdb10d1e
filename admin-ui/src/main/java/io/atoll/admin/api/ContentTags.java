package io.atoll.admin.api;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.InputStream;
import java.util.List;
import org.springframework.http.HttpMethod;
import org.springframework.web.filter.ShallowEtagHeaderFilter;

/**
 * Gives each answer to a read a weak tag that depends on its content. Answers 304 to a caller that already has this
 * content. A caller that polls keeps the tag itself. No cache does, since answers must not be stored. Streams have no
 * tags.
 */
final class ContentTags extends ShallowEtagHeaderFilter {

    private static final int OK_UNTIL = 300;

    /** These answers are sent piece by piece, so sending must not wait for their end. */
    private static final List<String> STREAMS = List.of("/atoll/api/live", "/atoll/api/diagnosis");

    ContentTags() {
        setWriteWeakETag(true);
    }

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return STREAMS.stream().anyMatch(request.getRequestURI()::endsWith);
    }

    /** Without this override, an answer that must not be stored would get no tag. */
    @Override
    protected boolean isEligibleForEtag(HttpServletRequest request, HttpServletResponse response, int status,
            InputStream body) {
        return !response.isCommitted() && status >= HttpServletResponse.SC_OK && status < OK_UNTIL
                && HttpMethod.GET.matches(request.getMethod());
    }
}
