package io.atoll.admin.api;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/** Errors of this API as RFC 9457 problem details, whatever the application does with its own. */
@RestControllerAdvice(basePackageClasses = Problems.class)
class Problems extends ResponseEntityExceptionHandler {

    @ExceptionHandler
    ProblemDetail badRequest(IllegalArgumentException mistake) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, mistake.getMessage());
    }
}
