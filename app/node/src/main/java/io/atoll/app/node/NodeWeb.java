package io.atoll.app.node;

import io.atoll.spring.admission.AdminProperties;
import io.atoll.spring.admission.Admission;
import io.atoll.spring.admission.ForeignPages;
import java.net.InetAddress;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Guards the example as the console is guarded. A request that a foreign page or a proxy sends through this machine
 * does not count as coming from it.
 */
@Component
final class NodeWeb implements WebMvcConfigurer {

    private final Admission admission;

    NodeWeb(AdminProperties properties, @Value("${server.address}") InetAddress address) {
        this.admission = Admission.whereItListens(properties.exposed(), address);
    }

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(admission).addPathPatterns(Node.HITS + "/**");
        registry.addInterceptor(new ForeignPages()).addPathPatterns(Node.HITS + "/**");
    }
}
