package io.atoll.app.node;

import org.apache.catalina.valves.JsonErrorReportValve;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.Ordered;
import org.springframework.stereotype.Component;

/**
 * Answers in JSON if the server refuses a request before the application sees it. An example is a path with an encoded
 * slash. The server's own answer is a page in HTML, which clients of the API cannot read.
 */
@Component
final class NodeErrors implements WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory>, Ordered {

    @Override
    public void customize(ConfigurableTomcatWebServerFactory server) {
        server.addContextCustomizers(context -> {
            JsonErrorReportValve errors = new JsonErrorReportValve();
            errors.setShowReport(false);
            errors.setShowServerInfo(false);
            context.getParent().getPipeline().addValve(errors);
        });
    }

    /**
     * Runs after Spring Boot's own customizer, which adds a valve that answers in HTML. If there are several, the last
     * one added answers.
     */
    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }
}
