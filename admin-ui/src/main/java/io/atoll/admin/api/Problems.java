package io.atoll.admin.api;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.TypeMismatchException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/** Reports errors of this API as RFC 9457 problem details, however the application reports its own. */
@RestControllerAdvice(basePackageClasses = Problems.class)
class Problems extends ResponseEntityExceptionHandler {

    /** The framework's own message does not say what would be right. */
    @Override
    protected @Nullable ResponseEntity<Object> handleTypeMismatch(TypeMismatchException mistake, HttpHeaders headers,
            HttpStatusCode status, WebRequest request) {
        String name = String.valueOf(mistake.getPropertyName());
        String expected = name.equals("size") ? Paged.ITEMS : expected(mistake.getRequiredType());
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(status,
                expected + ": " + name + "=" + mistake.getValue());
        return handleExceptionInternal(mistake, problem, headers, status, request);
    }

    private static String expected(@Nullable Class<?> type) {
        if (type != null && type.isEnum()) {
            return "one of "
                    + Arrays.stream(type.getEnumConstants()).map(String::valueOf).collect(Collectors.joining(" "));
        }
        return type == boolean.class
                ? "true or false"
                : "a whole number from 0 to " + (type == long.class ? Long.MAX_VALUE : Integer.MAX_VALUE);
    }

    @ExceptionHandler
    ProblemDetail badRequest(IllegalArgumentException mistake) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, mistake.getMessage());
    }
}
