package io.atoll.admin.api;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.InputStream;
import org.springframework.http.HttpMethod;
import org.springframework.web.filter.ShallowEtagHeaderFilter;

/**
 * Gives each answer to a read a weak tag by its content, and answers 304 to who has it. Whoever polls keeps the tag
 * itself: no cache keeps the answer, since it must not be stored. Streams have none.
 */
final class ContentTags extends ShallowEtagHeaderFilter {

    private static final int OK_UNTIL = 300;

    ContentTags() {
        setWriteWeakETag(true);
    }

    /** Else an answer that must not be stored would have none. */
    @Override
    protected boolean isEligibleForEtag(HttpServletRequest request, HttpServletResponse response, int status,
            InputStream body) {
        return !response.isCommitted() && status >= HttpServletResponse.SC_OK && status < OK_UNTIL
                && HttpMethod.GET.matches(request.getMethod());
    }
}
