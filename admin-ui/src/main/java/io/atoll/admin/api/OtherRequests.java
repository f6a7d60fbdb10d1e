package io.atoll.admin.api;

import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Answers with the description of the API, and refuses requests to paths that the API does not have. The application's
 * own error pages would answer those otherwise.
 */
@RestController
@RequestMapping("/atoll/api")
class OtherRequests {

    private static final List<String> METHODS = List.of("GET", "HEAD");

    @GetMapping("/openapi.yaml")
    ResponseEntity<Resource> description() {
        return ResponseEntity.ok()
                .contentType(MediaType.APPLICATION_YAML)
                .body(new ClassPathResource("openapi.yaml", OtherRequests.class));
    }

    // All methods are mapped. A request to one of the paths above comes here if it is anything but a read.
    @RequestMapping("/**")
    void refuse(HttpServletRequest request) throws HttpRequestMethodNotSupportedException {
        if (!METHODS.contains(request.getMethod())) {
            throw new HttpRequestMethodNotSupportedException(request.getMethod(), METHODS);
        }
        throw ApiController
                .notFound("the API is described at /atoll/api/openapi.yaml: path=" + request.getRequestURI());
    }
}
