package io.atoll.app.node;

import io.atoll.spring.admission.AdminProperties;
import io.atoll.spring.admission.Admission;
import java.net.InetAddress;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.health.actuate.endpoint.AdditionalHealthEndpointPath;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroup;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroupsPostProcessor;
import org.springframework.boot.health.actuate.endpoint.HttpCodeStatusMapper;
import org.springframework.boot.health.actuate.endpoint.StatusAggregator;
import org.springframework.stereotype.Component;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Shows the details of the node's health to callers that the console lets in. All other callers learn only if the node
 * is well, which a proxy or a probe needs to know. The details say as much as the console.
 */
@Component
final class NodeHealth implements HealthEndpointGroupsPostProcessor {

    private final Admission admission;

    NodeHealth(AdminProperties properties,
            @Value("${management.server.address:${server.address}}") InetAddress address) {
        this.admission = Admission.whereItListens(properties.exposed(), address);
    }

    @Override
    public HealthEndpointGroups postProcessHealthEndpointGroups(HealthEndpointGroups groups) {
        return HealthEndpointGroups.of(new Guarded(groups.getPrimary(), admission),
                groups.getNames()
                        .stream()
                        .collect(Collectors.<String, String, HealthEndpointGroup>toMap(Function.identity(),
                                name -> new Guarded(groups.get(name), admission))));
    }

    private record Guarded(HealthEndpointGroup group, Admission admission) implements HealthEndpointGroup {

        private boolean admits() {
            return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
                    && admission.admits(attributes.getRequest());
        }

        @Override
        public boolean isMember(String name) {
            return group.isMember(name);
        }

        @Override
        public boolean showComponents(SecurityContext caller) {
            return admits() && group.showComponents(caller);
        }

        @Override
        public boolean showDetails(SecurityContext caller) {
            return admits() && group.showDetails(caller);
        }

        @Override
        public StatusAggregator getStatusAggregator() {
            return group.getStatusAggregator();
        }

        @Override
        public HttpCodeStatusMapper getHttpCodeStatusMapper() {
            return group.getHttpCodeStatusMapper();
        }

        @Override
        public AdditionalHealthEndpointPath getAdditionalPath() {
            return group.getAdditionalPath();
        }
    }
}
