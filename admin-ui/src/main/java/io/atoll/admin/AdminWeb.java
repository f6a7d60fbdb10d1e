package io.atoll.admin;

import io.atoll.admin.api.ActionGuard;
import io.atoll.spring.admission.Admission;
import java.time.Duration;
import java.util.List;
import org.springframework.http.CacheControl;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.ViewControllerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Puts the page under {@code /atoll}, and a guard before the API. The page itself tells nothing about the world, so everyone may have it, and read there
 * why the API is closed.
 */
final class AdminWeb implements WebMvcConfigurer {

    private static final String PAGE = "classpath:/io/atoll/admin/page/";
    private static final String LIBRARIES = "classpath:/META-INF/resources/webjars/";
    private static final List<String> SERVED = List.of("lit-html", "uplot");

    private final Admission admission;
    private final ActionGuard guard;

    AdminWeb(Admission admission, ActionGuard guard) {
        this.admission = admission;
        this.guard = guard;
    }

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(new ResponseHeaders()).addPathPatterns("/atoll", "/atoll/**");
        // By the handler and not by a path: an application may give all paths a prefix, or take both cases for the same.
        registry.addInterceptor(new BeforeApi(new ResponseHeaders()));
        registry.addInterceptor(new BeforeApi(admission));
        registry.addInterceptor(new BeforeApi(guard));
    }

    @Override
    public void addResourceHandlers(ResourceHandlerRegistry registry) {
        // Asked for again each time, answered 304: a page of yesterday must not talk to the API of today.
        registry.addResourceHandler("/atoll/**").addResourceLocations(PAGE).setCacheControl(CacheControl.noCache());
        // Those that the page uses, whatever else an application has. Their paths bear their versions.
        SERVED.forEach(library -> registry.addResourceHandler("/atoll/lib/" + library + "/**")
                .addResourceLocations(LIBRARIES + library + "/")
                .setCacheControl(CacheControl.maxAge(Duration.ofDays(365)).immutable()));
    }

    @Override
    public void addViewControllers(ViewControllerRegistry registry) {
        // With the slash, so that what the page names is found beside it.
        registry.addRedirectViewController("/atoll", "/atoll/");
        registry.addViewController("/atoll/").setViewName("forward:/atoll/index.html");
    }
}
