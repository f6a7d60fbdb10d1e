package io.atoll.spring.admission;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.springframework.http.MediaType;

/**
 * Answers a request that is refused before it is handled, as RFC 9457 says. This is not an exception, since Spring MVC
 * logs the exceptions that it has answered at WARN. Strangers could fill the log.
 */
public final class Refusal {

    private Refusal() {}

    /** @param title the title of the status */
    public static void answer(HttpServletResponse response, int status, String title, String detail)
            throws IOException {
        byte[] problem = """
                {"type":"about:blank","title":"%s","status":%d,"detail":"%s"}"""
                .formatted(title, status, detail.replace("\\", "\\\\").replace("\"", "\\\""))
                .getBytes(StandardCharsets.UTF_8);
        response.setStatus(status);
        response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
        response.setContentLength(problem.length);
        response.getOutputStream().write(problem);
    }
}
