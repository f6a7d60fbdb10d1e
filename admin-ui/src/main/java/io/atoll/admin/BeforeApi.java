package io.atoll.admin;

import io.atoll.admin.api.ActionGuard;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/** Applies an interceptor to every request to the API, under whatever path the application has put the API. */
record BeforeApi(HandlerInterceptor interceptor) implements HandlerInterceptor {

    private static final String API = ActionGuard.class.getPackageName();

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
            throws Exception {
        return !(handler instanceof HandlerMethod method) || !method.getBeanType().getPackageName().equals(API)
                || interceptor.preHandle(request, response, handler);
    }
}
