package io.atoll.spring.autoconfigure.structure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.map.DistributedMap;
import io.atoll.queue.CircularQueue;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.ResolvableType;

class RefusedStructuresTest extends StructureRunner {

    @Test
    void aLockTableWithoutLocksIsRefused() {
        runner("lock-tables.none.locks=0").run(context -> assertThat(context.getStartupFailure()).rootCause()
                .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                .hasMessageContaining("locks=0"));
    }

    @Test
    void aWrongSettingOfTheEpochsIsNamed() {
        runner("epochs.tokens=0").run(context -> assertThat(context).getFailure()
                .rootCause()
                .hasMessageContaining("tokens=0"));
    }

    @Test
    void anElementThatIsTooLargeAndOneThatHoldsWhatIsNotAllowedAreRefusedWithTheStructuresName() {
        runner(ALLOWED, "queues.out." + PARCEL, "queues.out.largest-size=128B").run(context -> {
            CircularQueue<Parcel> out = context.<CircularQueue<Parcel>>getBeanProvider(
                    ResolvableType.forClassWithGenerics(CircularQueue.class, Parcel.class)).getObject();
            assertThatThrownBy(() -> out.push(Parcel.of("a".repeat(200)))).hasMessageContaining("largestBytes=128")
                    .hasMessageContaining("Parcel");
            assertThat(out.push(Parcel.of("small"))).isTrue();
        });
        runner(ALLOWED, "maps.all.key-type=long", "maps.all.value-type=java.lang.Object").run(context -> {
            DistributedMap<Long, Object> all = context.<DistributedMap<Long, Object>>getBeanProvider(
                    ResolvableType.forClassWithGenerics(DistributedMap.class, Long.class, Object.class)).getObject();
            all.put(1L, Parcel.of("seven"));
            assertThatThrownBy(() -> all.put(2L, Thread.currentThread())).hasMessageContaining("java.lang.Thread")
                    .hasMessageContaining("atoll.codec.allowed-classes")
                    .hasMessageContaining("all");
        });
    }

    @Test
    void aClassThatIsNotAllowedIsRefusedByItsProperty() {
        assertRefused("atoll.maps.parcels.value-type", "name the class in atoll.codec.allowed-classes",
                "maps.parcels.key-type=long", "maps.parcels.value-" + PARCEL);
        assertRefused("atoll.queues.out.type", "name the class in atoll.codec.allowed-classes", "queues.out." + PARCEL,
                "queues.out.largest-size=1KB");
        assertRefused("atoll.queues.out.largest-size", "largestBytes=0", "queues.out.type=string",
                "queues.out.largest-size=0B");
        assertRefused("atoll.maps.parcels.key-type", "no codec", ALLOWED, "maps.parcels.key-" + PARCEL,
                "maps.parcels.value-type=long");
        assertRefused("atoll.queues.names.type", "largest-size", "queues.names.type=string");
    }

    @Test
    void aQueueOfNothingIsRefusedByItsProperty() {
        runner("queues.jobs.type=long", "queues.jobs.capacity=0")
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining("capacity=0"));
        runner("queues.jobs.capacity=1").run(
                context -> assertThat(context).getFailure().hasStackTraceContaining("atoll.queues.jobs.type"));
    }

    private void assertRefused(String property, String reason, String... properties) {
        runner(properties).run(context -> assertThat(context).getFailure()
                .extracting(NestedExceptionUtils::getMostSpecificCause)
                .isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, refused -> {
                    assertThat(refused.getName()).isEqualTo(property);
                    assertThat(refused.getReason()).contains(reason);
                }));
    }

    @Test
    void whatMakesNoStructureIsRefusedByItsProperty() {
        runner("maps.orders.key-type=long").run(context -> assertThat(context).getFailure()
                .hasStackTraceContaining("a property is missing: name=atoll.maps.orders.value-type"));
        runner("filters.seen.expected-elements=10").run(context -> assertThat(context).getFailure()
                .hasStackTraceContaining("a property is missing: name=atoll.filters.seen.type"));
        assertRefused("atoll.maps.orders.value-type", "neither a class of this name nor a short one",
                "maps.orders.key-type=long", "maps.orders.value-type=com.example.Ordre");
        assertRefused("atoll.maps.orders.key-type", "have no codec", "maps.orders.key-type=java.net.InetAddress",
                "maps.orders.value-type=long");
        assertRefused("atoll.maps.orders", "capacity=0", "maps.orders.key-type=long", "maps.orders.value-type=long",
                "maps.orders.capacity=0");
        assertRefused("atoll.long-maps.hits", "capacity=-1", "long-maps.hits.capacity=-1");
        assertRefused("atoll.filters.seen", "falsePositiveRate=2.0", "filters.seen.type=string",
                "filters.seen.false-positive-rate=2");
        assertRefused("atoll.filters.seen", "use a record or a codec of your own",
                "filters.seen.type=java.net.InetAddress");
        assertRefused("atoll.long-filters.ids", "expectedElements=0", "long-filters.ids.expected-elements=0");
    }

    @Test
    void aHostThatTheWorldDoesNotHaveIsRefusedAtTheStart() {
        assertRefused("atoll.queues.jobs.host", "size=1", "queues.jobs.type=long", "queues.jobs.host=1");
        assertRefused("atoll.long-queues.ids.host", "size=1", "long-queues.ids.host=1");
        assertRefused("atoll.fast-queues.keys.host", "size=1", "fast-queues.keys.type=long", "fast-queues.keys.host=1");
        assertRefused("atoll.stacks.undone.host", "size=1", "stacks.undone.type=long", "stacks.undone.host=-1");
        assertRefused("atoll.linked-queues.jobs.host", "size=1", "linked-queues.jobs.type=long",
                "linked-queues.jobs.host=1");
        assertRefused("atoll.arrays.cells.host", "size=1", "arrays.cells.type=long", "arrays.cells.host=1");
        assertRefused("atoll.long-arrays.cells.host", "size=1", "long-arrays.cells.host=1");
    }

    @Test
    void aNameThatTwoStructuresHaveIsRefused() {
        assertRefused("atoll.filters.orders", "that of atoll.maps.orders", "maps.orders.key-type=long",
                "maps.orders.value-type=long", "filters.orders.type=string");
    }
}
