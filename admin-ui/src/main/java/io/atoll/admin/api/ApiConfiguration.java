package io.atoll.admin.api;

import io.atoll.fabric.trace.VerbCounts;
import io.atoll.spring.admission.AdminProperties;
import io.atoll.spring.meters.StructureWatch;
import io.atoll.spring.state.VerbLatencies;
import io.atoll.spring.state.WorldStates;
import io.atoll.spring.state.overview.OverviewWatch;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.cache.CacheManager;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/** The beans of the API. */
@Configuration(proxyBeanMethods = false)
public class ApiConfiguration {

    @Bean
    ApiController atollApi(WorldStates worldStates) {
        return new ApiController(worldStates);
    }

    @Bean
    OverviewWatch atollOverviewWatch(WorldStates worldStates) {
        return new OverviewWatch(worldStates);
    }

    @Bean
    LiveFeed atollLiveFeed(OverviewWatch watch, ObjectProvider<JsonMapper> json) {
        return new LiveFeed(watch, mapper(json));
    }

    /** Returns the mapper that writes the answers, as the application has configured it. */
    private static ObjectMapper mapper(ObjectProvider<JsonMapper> json) {
        return json.getIfAvailable(() -> JsonMapper.builder().build());
    }

    /** Lets only those users through who may act. */
    @Bean
    public ActionGuard atollActionGuard(AdminProperties properties, Audit audit) {
        return new ActionGuard(properties.actions(), audit);
    }

    @Bean
    Audit atollAudit(ApplicationEventPublisher publisher) {
        return new Audit(publisher, System::nanoTime);
    }

    @Bean
    OverviewController atollOverviewApi(OverviewWatch watch, LiveFeed live, ActionGuard guard) {
        return new OverviewController(watch, live, guard);
    }

    @Bean
    HistoryController atollHistoryApi(WorldStates worldStates, ObjectProvider<VerbCounts> counts,
            ObjectProvider<VerbLatencies> latencies, ObjectProvider<StructureWatch> structures) {
        return new HistoryController(worldStates, counts.getIfAvailable(), latencies.getIfAvailable(),
                structures.getIfAvailable());
    }

    @Bean
    DiagnosisController atollDiagnosisApi(WorldStates worldStates, OverviewWatch watch, HistoryController histories,
            ConfigurableEnvironment environment, ObjectProvider<JsonMapper> json) {
        Map<String, Supplier<?>> answers = new LinkedHashMap<>();
        answers.put("overview", watch::look);
        answers.put("view", worldStates::view);
        answers.put("fabric", worldStates::fabric);
        answers.put("connections", worldStates::reachedRanks);
        answers.put("ranks", worldStates::rankStates);
        answers.put("segments", () -> worldStates.segments(worldStates.ranks()));
        answers.put("structures", worldStates::structures);
        answers.put("epochs", worldStates::epochs);
        answers.put("locks", worldStates.locks()::tables);
        answers.put("lock-graph", worldStates.locks()::graph);
        answers.put("collectives", worldStates::collectives);
        answers.put("traffic", histories::traffic);
        answers.put("traffic-peers", histories::allPeers);
        answers.put("events", worldStates.histories()::events);
        return new DiagnosisController(new Diagnosis(answers, environment, mapper(json)));
    }

    @Bean
    Structures atollStructures(ListableBeanFactory beans, WorldStates worldStates) {
        return new Structures(beans, worldStates);
    }

    @Bean
    EntryController atollEntryApi(Structures structures, AdminProperties properties) {
        return new EntryController(structures, properties.entries());
    }

    @Bean
    ActionController atollActionApi(WorldStates worldStates, Structures structures,
            ObjectProvider<CacheManager> caches, Audit audit) {
        return new ActionController(worldStates, structures, caches, audit);
    }

    @Bean
    FilterRegistrationBean<ContentTags> atollContentTags() {
        FilterRegistrationBean<ContentTags> tags = new FilterRegistrationBean<>(new ContentTags());
        tags.addUrlPatterns("/atoll/api/*");
        return tags;
    }

    @Bean
    OtherRequests atollApiOtherRequests() {
        return new OtherRequests();
    }

    @Bean
    Problems atollApiProblems() {
        return new Problems();
    }
}
