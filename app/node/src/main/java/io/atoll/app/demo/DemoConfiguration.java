package io.atoll.app.demo;

import io.atoll.World;
import io.atoll.app.demo.CircularQueueLoad.Job;
import io.atoll.app.demo.ObjectMapLoad.Order;
import io.atoll.filter.LongBloomFilter;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import io.atoll.queue.CircularQueue;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * The demo, and those of its structures that a console can look into and change. It can do so only with structures that
 * are beans.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty("node.demo")
@Import(Demo.class)
public class DemoConfiguration {

    @Bean
    LongLongMap demoVisits(World world) {
        return LongMapLoad.open(world);
    }

    @Bean
    DistributedMap<Long, Order> demoOrders(World world) {
        return ObjectMapLoad.open(world);
    }

    @Bean
    LongBloomFilter demoSeen(World world) {
        return FilterLoad.open(world);
    }

    @Bean
    CircularQueue<Job> demoJobs(World world) {
        return CircularQueueLoad.open(world);
    }
}
