package io.atoll.admin.api;

import io.atoll.World;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The beans of the API. */
@Configuration(proxyBeanMethods = false)
public class ApiConfiguration {

    @Bean
    ApiController atollApi(World world) {
        return new ApiController(world);
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
