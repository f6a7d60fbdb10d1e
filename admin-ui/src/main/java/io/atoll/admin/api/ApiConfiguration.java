package io.atoll.admin.api;

import io.atoll.state.Observatory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The beans of the API. */
@Configuration(proxyBeanMethods = false)
public class ApiConfiguration {

    @Bean
    ApiController atollApi(Observatory observatory) {
        return new ApiController(observatory);
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
