package io.atoll.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.collective.Collectives;
import io.atoll.fabric.FabricType;
import io.atoll.failure.MissingRanksException;
import io.atoll.map.LongLongMap;
import io.atoll.spring.autoconfigure.structure.StructureAutoConfiguration;
import io.atoll.spring.state.WorldStates;
import io.atoll.world.Member;
import io.atoll.world.Membership;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import jakarta.annotation.PreDestroy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

class AtollAutoConfigurationTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(
            AutoConfigurations.of(AtollAutoConfiguration.class, StructureAutoConfiguration.class));

    @TempDir
    Path folder;

    private ApplicationContextRunner runner(int size) {
        return runner.withPropertyValues("atoll.world.size=" + size, "atoll.segment.size=4MB",
                "atoll.fabric.shared-memory.folder=" + folder);
    }

    @Test
    void byDefaultTheApplicationIsAWorldOfItsOwn() {
        runner.run(context -> {
            assertThat(context.getBean(Collectives.class))
                    .isSameAs(context.getBean(World.class).collectives());
            World world = context.getBean(World.class);
            assertThat(world.name()).isEqualTo("atoll");
            assertThat(world.size()).isOne();
            assertThat(world.rank()).isZero();
            assertThat(world.participant().heap().usage(0).totalBytes()).isBetween(63L << 20, 64L << 20);
        });
    }

    @Test
    void whenDisabledThereIsNothing() {
        runner.withPropertyValues("atoll.enabled=false", "atoll.long-maps.hits.capacity=100")
                .run(context -> assertThat(context).doesNotHaveBean(World.class)
                        .doesNotHaveBean(AtollProperties.class)
                        .doesNotHaveBean("hits"));
    }

    @Test
    void theWorldHasTheApplicationsNameUnlessToldOtherwise() {
        runner.withPropertyValues("spring.application.name=shop")
                .run(context -> assertThat(context.getBean(World.class).name()).isEqualTo("shop"));
        runner.withPropertyValues("spring.application.name=shop", "atoll.world.name=stock")
                .run(context -> assertThat(context.getBean(World.class).name()).isEqualTo("stock"));
    }

    @Test
    void propertiesDescribeTheWorld() {
        runner(3).withPropertyValues("atoll.world.name=shop", "atoll.world.rank=2", "atoll.world.join-timeout=50ms")
                .run(context -> {
                    World world = context.getBean(World.class);
                    assertThat(world.rank()).isEqualTo(2);
                    assertThat(folder.resolve("atoll-shop-2.segment")).hasSize(4 << 20);
                    assertThatExceptionOfType(MissingRanksException.class).isThrownBy(world::participant)
                            .withMessageContaining("missing=[0, 1] waitedMillis=50");
                });
        assertThat(folder).isEmptyDirectory();
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "100, 100", "4096, 4096", ", 64"}) // the last case leaves the property out
    void asManyRanksMayEverBeAsIsTold(@Nullable String told, int maxSize) {
        String[] properties = told == null ? new String[0] : new String[]{"atoll.world.max-size=" + told};
        runner.withPropertyValues(properties)
                .run(context -> assertThat(context.getBean(World.class).participant().maxSize()).isEqualTo(maxSize));
    }

    @Test
    void retainedSegmentsOutliveTheApplication() {
        runner(2).withPropertyValues("atoll.fabric.shared-memory.retain=true").run(context -> {});
        runner(2).run(context -> assertThat(context.getBean(World.class).incarnation()).isEqualTo(2));
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void startingNeverWaitsForTheOtherRanks() {
        runner(3).withPropertyValues("atoll.world.join-timeout=1h", "atoll.long-maps.hits.capacity=100")
                .run(context -> assertThat(context).hasNotFailed().hasBean("hits"));
    }

    @Test
    void aRankJoinsEvenWhereBeansAreLazy() {
        runner(2).withInitializer(
                context -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> assertThat(folder.resolve("atoll-atoll-0.segment")).exists());
    }

    @Test
    void theWorldStartsBeforeEverythingElse() {
        runner.run(context -> assertThat(context.getBean(WorldLifecycle.class).getPhase())
                .isLessThan(SmartLifecycle.DEFAULT_PHASE - 2048));
    }

    @Test
    void aBeanMayUseItsStructuresUntilItsOwnEnd() {
        runner.withPropertyValues("atoll.long-maps.hits.capacity=100")
                .withUserConfiguration(Farewell.class)
                .run(context -> {
                    Visitor visitor = context.getBean(Visitor.class);
                    context.close();
                    assertThat(visitor.sumAtTheEnd).isEqualTo(1);
                });
    }

    @Test
    void theUsersOwnWorldIsTheWorld() {
        runner.withPropertyValues("atoll.world.size=0", "atoll.long-maps.hits.capacity=100",
                "atoll.long-maps.hits.fixed=true")
                .withUserConfiguration(OwnWorld.class)
                .run(context -> {
                    assertThat(context).hasSingleBean(World.class);
                    context.getBean("hits", LongLongMap.class).addAndGet(7, 1);
                    assertThat(context.getBean("ownWorld", World.class).structures()).extracting("name")
                            .containsExactly("hits");
                });
    }

    @Test
    void theUsersOwnFabricIsTheFabric() throws Exception {
        Path own = Files.createDirectory(folder.resolve("own"));
        runner.withPropertyValues("atoll.fabric.type=mine", "atoll.world.size=2")
                .withBean(FabricType.class, () -> Fabrics.sharedMemory(own, false))
                .run(context -> assertThat(own.resolve("atoll-atoll-0.segment")).exists());
    }

    @Test
    void theUsersOwnMembershipIsJoined() {
        var membership = new OwnMembership();
        runner(2).withBean(Membership.class, () -> membership)
                .run(context -> assertThat(membership.members()).extracting(Member::rank).containsExactly(0));
    }

    private static final class OwnMembership implements Membership {

        private final List<Member> members = new ArrayList<>();

        @Override
        public void join(Member self, Runnable onChange) {
            members.add(self);
        }

        @Override
        public List<Member> members() {
            return List.copyOf(members);
        }

        @Override
        public void close() {
            members.clear();
        }
    }

    @Test
    void theUsersOwnLifecycleAndWorldStatesTakeThePlaceOfOurs() {
        runner.withUserConfiguration(OwnParts.class)
                .run(context -> assertThat(context).hasSingleBean(WorldLifecycle.class)
                        .hasBean("ownLifecycle")
                        .hasSingleBean(WorldStates.class)
                        .hasBean("ownWorldStates"));
    }

    @Configuration
    static class OwnParts {

        @Bean
        WorldLifecycle ownLifecycle(World world) {
            return new WorldLifecycle(world);
        }

        @Bean
        WorldStates ownWorldStates(World world) {
            return new WorldStates(world);
        }
    }

    @Test
    void customizersHaveTheLastWordInTheirOrder() {
        runner(3).withPropertyValues("atoll.world.rank=0")
                .withUserConfiguration(Customizers.class)
                .run(context -> assertThat(context.getBean(World.class).rank()).isEqualTo(2));
    }

    @Test
    void openingTheWorldIsObserved() {
        TestObservationRegistry observations = TestObservationRegistry.create();
        runner.withBean(TestObservationRegistry.class, () -> observations)
                .run(context -> TestObservationRegistryAssert.assertThat(observations)
                        .hasObservationWithNameEqualTo("atoll.world.open")
                        .that()
                        .hasLowCardinalityKeyValue("world", "atoll")
                        .hasBeenStopped()
                        .doesNotHaveError());
    }

    @Test
    void rareStepsAreObservedAndOperationsAreNot() {
        TestObservationRegistry observations = TestObservationRegistry.create();
        runner.withPropertyValues("atoll.long-maps.hits.capacity=100", "atoll.long-maps.hits.fixed=true")
                .withBean(TestObservationRegistry.class, () -> observations)
                .run(context -> {
                    LongLongMap hits = context.getBean(LongLongMap.class);
                    for (int times = 0; times < 100; times++) {
                        hits.addAndGet(7, 1);
                    }
                    TestObservationRegistryAssert.assertThat(observations)
                            .hasNumberOfObservationsWithNameEqualTo("atoll.world.open", 1)
                            .hasNumberOfObservationsWithNameEqualTo("atoll.world.await", 1)
                            .hasNumberOfObservationsWithNameEqualTo("atoll.structure.open", 1)
                            .hasNumberOfObservationsEqualTo(3)
                            .hasObservationWithNameEqualTo("atoll.structure.open")
                            .that()
                            .hasLowCardinalityKeyValue("world", "atoll")
                            .hasLowCardinalityKeyValue("structure", "hits")
                            .hasBeenStopped();
                });
    }

    static class Visitor {

        private final LongLongMap hits;
        private long sumAtTheEnd;

        Visitor(LongLongMap hits) {
            this.hits = hits;
        }

        @PreDestroy
        void leave() {
            sumAtTheEnd = hits.addAndGet(7, 1);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Farewell {

        @Bean
        Visitor visitor(LongLongMap hits) {
            return new Visitor(hits);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnWorld {

        @Bean
        World ownWorld() {
            return World.named("own").segment(4 << 20).open();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Customizers {

        @Bean
        @Order(2)
        WorldCustomizer second() {
            return world -> world.rank(2);
        }

        @Bean
        @Order(1)
        WorldCustomizer first() {
            return world -> world.rank(1);
        }
    }
}
