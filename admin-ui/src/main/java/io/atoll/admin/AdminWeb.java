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
 * Serves the page under {@code /atoll}, and puts a guard before the API. The page itself says nothing about the world.
 * So everyone may load it, and read on it why the API is closed.
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
        // The guard goes by the handler and not by a path. An application may give all paths a prefix, or ignore their
        // case.
        registry.addInterceptor(new BeforeApi(new ResponseHeaders()));
        registry.addInterceptor(new BeforeApi(admission));
        registry.addInterceptor(new BeforeApi(guard));
    }

    @Override
    public void addResourceHandlers(ResourceHandlerRegistry registry) {
        // Browsers ask for each file again and get 304 if it is unchanged. A page of yesterday must not talk to the API
        // of today.
        registry.addResourceHandler("/atoll/**").addResourceLocations(PAGE).setCacheControl(CacheControl.noCache());
        // These are the libraries of the page, whatever other libraries an application has. Their paths contain their
        // versions.
        SERVED.forEach(library -> registry.addResourceHandler("/atoll/lib/" + library + "/**")
                .addResourceLocations(LIBRARIES + library + "/")
                .setCacheControl(CacheControl.maxAge(Duration.ofDays(365)).immutable()));
    }

    @Override
    public void addViewControllers(ViewControllerRegistry registry) {
        // With the slash at the end, the browser finds the files that the page names beside it.
        registry.addRedirectViewController("/atoll", "/atoll/");
        registry.addViewController("/atoll/").setViewName("forward:/atoll/index.html");
    }
}
