package io.atoll.spring.admission;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.json.JsonWriter;
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
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("type", "about:blank");
        members.put("title", title);
        members.put("status", status);
        members.put("detail", detail);
        byte[] problem = JsonWriter.<Map<String, Object>>standard().write(members).toByteArray();
        response.setStatus(status);
        response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
        response.setContentLength(problem.length);
        response.getOutputStream().write(problem);
    }
}
