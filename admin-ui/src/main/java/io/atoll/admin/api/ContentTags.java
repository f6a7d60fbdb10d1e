package io.atoll.admin.api;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.InputStream;
import java.util.List;
import org.springframework.http.HttpMethod;
import org.springframework.web.filter.ShallowEtagHeaderFilter;

/**
 * Gives each answer to a read a weak tag by its content, and answers 304 to who has it. Whoever polls keeps the tag
 * itself: no cache keeps the answer, since it must not be stored. Streams have none.
 */
final class ContentTags extends ShallowEtagHeaderFilter {

    private static final int OK_UNTIL = 300;

    /** What is written by and by must not wait for its end. */
    private static final List<String> STREAMS = List.of("/atoll/api/live", "/atoll/api/diagnosis");

    ContentTags() {
        setWriteWeakETag(true);
    }

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return STREAMS.stream().anyMatch(request.getRequestURI()::endsWith);
    }

    /** Else an answer that must not be stored would have none. */
    @Override
    protected boolean isEligibleForEtag(HttpServletRequest request, HttpServletResponse response, int status,
            InputStream body) {
        return !response.isCommitted() && status >= HttpServletResponse.SC_OK && status < OK_UNTIL
                && HttpMethod.GET.matches(request.getMethod());
    }
}
