package io.atoll.spring.autoconfigure.structure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.EveryStructure;
import io.atoll.World;
import io.atoll.array.Array;
import io.atoll.array.DistributedArray;
import io.atoll.array.LongArray;
import io.atoll.codec.Codec;
import io.atoll.epoch.EpochManager;
import io.atoll.filter.BloomFilter;
import io.atoll.filter.LongBloomFilter;
import io.atoll.linked.LinkedQueue;
import io.atoll.linked.LinkedStack;
import io.atoll.lock.Acquisition;
import io.atoll.lock.LockTable;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import io.atoll.memory.GlobalPointer;
import io.atoll.promise.BrokenPromiseException;
import io.atoll.promise.Promise;
import io.atoll.queue.CircularQueue;
import io.atoll.queue.FastQueue;
import io.atoll.queue.LongCircularQueue;
import io.atoll.spring.template.EpochTemplate;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

class StructureAutoConfigurationTest extends StructureRunner {

    private static final String ORDER = "value-type=io.atoll.spring.autoconfigure.structure.Order";

    record Checkout(DistributedMap<Long, Order> orders, BloomFilter<String> seen) {

        boolean place(Order order) {
            orders.put(order.id(), order);
            return seen.add(order.customer().toString());
        }
    }

    @Test
    void aServiceIsGivenTheStructuresThatThePropertiesName() {
        runner("maps.orders.key-type=long", "maps.orders." + ORDER, "maps.orders.capacity=1000",
                "filters.seen.type=string", "filters.seen.expected-elements=1000")
                .withBean(Checkout.class)
                .run(context -> {
                    Order order = new Order(7, new UUID(1, 2), 300);
                    Checkout checkout = context.getBean(Checkout.class);
                    assertThat(checkout.place(order)).isTrue();
                    assertThat(checkout.place(order)).isFalse();
                    assertThat(checkout.orders().get(7L)).isEqualTo(order);
                    assertThat(context.getBean(World.class).structures()).extracting("configuration")
                            .anyMatch(text -> text.toString().contains("capacity=1000"))
                            .anyMatch(text -> text.toString().contains("expected-elements=1000"));
                });
    }

    @Test
    void everyStructureHasAKindOfProperties() {
        assertThat(StructureKind.ALL.stream().<Class<?>>map(StructureKind::type))
                .containsExactlyInAnyOrderElementsOf(Stream.of(EveryStructure.values())
                        .<Class<?>>map(EveryStructure::type)
                        .toList());
    }

    @Test
    void queuesAndStacksBeginEmptyWhereThePropertiesSaySo() {
        runner("queues.tasks.type=long", "queues.tasks.on-loss=empty", "long-queues.numbers.on-loss=empty",
                "fast-queues.results.type=long", "fast-queues.results.on-loss=empty", "linked-queues.mail.type=long",
                "linked-queues.mail.on-loss=empty", "stacks.plates.type=long", "stacks.plates.on-loss=empty",
                "queues.kept.type=long").run(context -> {
                    context.getBean("tasks", CircularQueue.class).size();
                    context.getBean("numbers", LongCircularQueue.class).size();
                    context.getBean("results", FastQueue.class).size();
                    context.getBean("mail", LinkedQueue.class).isEmpty();
                    context.getBean("plates", LinkedStack.class).isEmpty();
                    context.getBean("kept", CircularQueue.class).size();
                    assertThat(context.getBean(World.class).structures())
                            .filteredOn(structure -> structure.configuration().contains("on-loss=empty"))
                            .extracting("name")
                            .contains("tasks", "numbers", "results", "mail", "plates")
                            .doesNotContain("kept");
                });
    }

    record Names(DistributedMap<String, Order> byName, DistributedMap<Long, String> byNumber) {}

    @Test
    void textsAreKeysAndValuesOfMaps() {
        runner("maps.by-name.key-type=string", "maps.by-name." + ORDER, "maps.by-number.key-type=long",
                "maps.by-number.value-type=string")
                .withBean(Names.class)
                .run(context -> {
                    Names names = context.getBean(Names.class);
                    Order order = new Order(7, new UUID(1, 2), 300);
                    assertThat(names.byName().putIfAbsent("first", order)).isTrue();
                    assertThat(names.byName().get("first")).isEqualTo(order);
                    assertThat(names.byNumber().merge(7L, "seven", String::concat)).isEqualTo("seven");
                });
    }

    record Statistics(DistributedMap<Long, Long> sums, DistributedMap<Long, Long> counts, LongLongMap hits,
            LongBloomFilter ids) {}

    @Test
    void beansOfOneTypeAreToldApartByTheParametersName() {
        runner("maps.sums.key-type=long", "maps.sums.value-type=java.lang.Long", "maps.counts.key-type=long",
                "maps.counts.value-type=long", "long-maps.hits.capacity=100", "long-maps.other.capacity=100",
                "long-filters.ids.expected-elements=100", "long-filters.others.false-positive-rate=0.1")
                .withBean(Statistics.class)
                .run(context -> {
                    Statistics statistics = context.getBean(Statistics.class);
                    assertThat(statistics.sums().name()).isEqualTo("sums");
                    assertThat(statistics.counts().name()).isEqualTo("counts");
                    assertThat(statistics.hits().name()).isEqualTo("hits");
                    assertThat(statistics.ids().name()).isEqualTo("ids");
                    assertThat(statistics.hits().addAndGet(7, 2)).isEqualTo(2);
                    assertThat(statistics.ids().add(7)).isTrue();
                    assertThat(context.getBean("others", LongBloomFilter.class).size().falsePositiveRate())
                            .isEqualTo(0.1);
                });
    }

    record Accounts(LockTable accounts, LockTable queued) {}

    @Test
    void lockTablesAreGivenToWhoeverNamesThem() {
        runner("lock-tables.accounts.locks=1000", "lock-tables.queued.algorithm=mcs",
                "lock-tables.queued.descriptors=16")
                .withBean(Accounts.class)
                .run(context -> {
                    Accounts accounts = context.getBean(Accounts.class);
                    assertThat(accounts.accounts().locks()).isEqualTo(1000);
                    try (Acquisition held = accounts.accounts().lock("account 7")) {
                        assertThat(accounts.accounts().tryLockAt(held.index())).isNull();
                        assertThat(accounts.queued().tryLockAt(0)).isNotNull();
                    }
                    assertThat(context.getBean(World.class).structures()).extracting("configuration")
                            .anyMatch(text -> text.toString().contains("algorithm=MCS"));
                });
    }

    record Work(LinkedStack<Order> undone, LinkedQueue<Long> jobs, EpochTemplate epochs, EpochManager manager) {}

    @Test
    void stacksAndQueuesReclaimThroughTheEpochManagerOfTheWorld() {
        runner("stacks.undone.type=io.atoll.spring.autoconfigure.structure.Order", "linked-queues.jobs.type=long",
                "epochs.tokens=7", "epochs.pin-limit=3s")
                .withBean(Work.class)
                .run(context -> {
                    Work work = context.getBean(Work.class);
                    Order order = new Order(7, new UUID(1, 2), 300);
                    work.undone().push(order);
                    work.jobs().push(8L);
                    assertThat(work.undone().pop()).isEqualTo(order);
                    assertThat(work.jobs().pop()).isEqualTo(8);
                    assertThat(work.manager()).isSameAs(context.getBean(World.class).epochs());
                    assertThat(work.manager().settings().tokens()).isEqualTo(7);
                    assertThat(work.manager().settings().pinLimit()).isEqualTo(Duration.ofSeconds(3));
                    assertThat(work.manager().clear()).isEqualTo(2);
                    GlobalPointer object = context.getBean(World.class).participant().heap().allocatePointer(0, 64);
                    work.epochs().pinned(() -> work.epochs().retire(object));
                    assertThat(work.epochs().<Boolean>pinned(() -> work.manager().pinned().isPinned())).isTrue();
                    assertThat(work.manager().clear()).isOne();
                });
    }

    record Worker(CircularQueue<Order> jobs, LongCircularQueue ids, FastQueue<Long> keys, Array<Double> weights,
            DistributedArray<Integer> cells) {}

    @Test
    void queuesAndArraysAreBeansAsWell() {
        runner("queues.jobs.type=io.atoll.spring.autoconfigure.structure.Order", "queues.jobs.capacity=2",
                "long-queues.ids.capacity=3", "fast-queues.keys.type=long", "fast-queues.keys.capacity=4",
                "arrays.weights.type=double", "arrays.weights.length=5", "distributed-arrays.cells.type=int",
                "distributed-arrays.cells.length=6")
                .withBean(Worker.class)
                .run(context -> {
                    Worker worker = context.getBean(Worker.class);
                    Order order = new Order(7, new UUID(1, 2), 300);
                    assertThat(worker.jobs().push(order)).isTrue();
                    assertThat(worker.jobs().pop()).isEqualTo(order);
                    assertThat(worker.jobs().capacity()).isEqualTo(2);
                    assertThat(worker.ids().push(1)).isTrue();
                    assertThat(worker.ids().capacity()).isEqualTo(3);
                    assertThat(worker.keys().push(List.of(1L, 2L, 3L, 4L))).isTrue();
                    assertThat(worker.keys().push(5L)).isFalse();
                    worker.weights().set(4, 0.5);
                    assertThat(worker.weights().get(4)).isEqualTo(0.5);
                    worker.cells().set(5, 6);
                    assertThat(worker.cells().get(5)).isEqualTo(6);
                    assertThat(context.getBean(World.class).structures()).extracting("configuration")
                            .contains("queue type=long capacity=3 host=0", "fast-queue type=long capacity=4 host=0",
                                    "array type=double length=5 host=0", "distributed-array type=int length=6");
                });
    }

    record Cells(LongArray everywhere, LongArray here) {}

    @Test
    void arraysOfLongsLieAtAllRanksOrAtOne() {
        runner("long-arrays.everywhere.length=7", "long-arrays.here.length=8", "long-arrays.here.host=0")
                .withBean(Cells.class)
                .run(context -> {
                    Cells cells = context.getBean(Cells.class);
                    assertThat(cells.everywhere().getAndAdd(6, 5)).isZero();
                    cells.here().set(7, 9);
                    assertThat(cells.here().get(7)).isEqualTo(9);
                    assertThat(context.getBean(World.class).structures()).extracting("configuration")
                            .contains("distributed-array type=long length=7", "array type=long length=8 host=0");
                });
    }

    record Post(DistributedMap<String, Parcel> parcels, CircularQueue<Parcel> out, FastQueue<String> labels,
            LinkedStack<Parcel> returned, LinkedQueue<String> lost) {}

    @Test
    void objectsOfAllowedClassesAreValuesAndElements() {
        runner(ALLOWED, "maps.parcels.key-type=string", "maps.parcels.value-" + PARCEL, "queues.out." + PARCEL,
                "queues.out.largest-size=512B", "queues.out.capacity=10", "fast-queues.labels.type=string",
                "fast-queues.labels.largest-size=12B", "stacks.returned." + PARCEL, "stacks.returned.largest-size=1KB",
                "linked-queues.lost.type=string", "linked-queues.lost.largest-size=100B")
                .withBean(Post.class)
                .run(context -> {
                    Post post = context.getBean(Post.class);
                    Parcel parcel = Parcel.of("seven", "tea", "cups");
                    post.parcels().put("seven", parcel);
                    assertThat(post.parcels().get("seven")).usingRecursiveComparison().isEqualTo(parcel);
                    assertThat(post.out().push(parcel)).isTrue();
                    assertThat(post.out().pop()).usingRecursiveComparison().isEqualTo(parcel);
                    post.returned().push(parcel);
                    assertThat(post.returned().pop()).usingRecursiveComparison().isEqualTo(parcel);
                    assertThat(post.labels().push(List.of("", "a label", "twelve bytes"))).isTrue();
                    assertThat(post.labels().pop(3)).containsExactly("", "a label", "twelve bytes");
                    post.lost().push("gloves");
                    assertThat(post.lost().pop()).isEqualTo("gloves");
                });
    }

    @Test
    void whatTheWorldItselfOpensIsStoredAsWhatPropertiesName() {
        runner(ALLOWED, "maps.parcels.key-type=string", "maps.parcels.value-" + PARCEL).run(context -> {
            World world = context.getBean(World.class);
            Parcel parcel = Parcel.of("seven", "tea", "cups");
            world.map("others", String.class, Parcel.class).open().put("seven", parcel);
            assertThat(world.map("others", String.class, Parcel.class).open().get("seven"))
                    .usingRecursiveComparison()
                    .isEqualTo(parcel);
        });
    }

    record ByQualifier(@Qualifier("orders-of-today") LongLongMap any, @Qualifier("ordersOfToday") LongLongMap other,
            LongLongMap ordersOfToday) {}

    @Test
    void aNameWithDashesHasACamelCaseAlias() {
        runner("long-maps.orders-of-today.capacity=100", "long-maps.orders.capacity=100").withBean(ByQualifier.class)
                .run(context -> {
                    ByQualifier beans = context.getBean(ByQualifier.class);
                    assertThat(beans.any().name()).isEqualTo("orders-of-today");
                    assertThat(beans.other()).isSameAs(beans.any());
                    assertThat(beans.ordersOfToday()).isSameAs(beans.any());
                });
    }

    record Promising(DistributedMap<Long, Long> sums, LongLongMap hits, CircularQueue<Long> jobs,
            LongCircularQueue ids) {}

    @Test
    void brokenPromisesAreFoundWhereThePropertiesAskForIt() {
        String[] structures = {"maps.sums.key-type=long", "maps.sums.value-type=long", "long-maps.hits.capacity=9",
            "queues.jobs.type=long", "long-queues.ids.capacity=9"};
        runner(structures).withBean(Promising.class).run(context -> {
            Promising beans = context.getBean(Promising.class);
            beans.sums().get(1L, Promise.onlyReads());
            assertThat(beans.sums().put(1L, 1L)).isTrue();
        });
        runner(structures).withPropertyValues("atoll.checked-promises=true")
                .withBean(Promising.class)
                .run(context -> {
                    Promising beans = context.getBean(Promising.class);
                    beans.sums().get(1L, Promise.onlyReads());
                    beans.hits().getOrDefault(1, 0, Promise.onlyReads());
                    beans.jobs().push(1L, Promise.onlyPushes());
                    beans.ids().push(1, Promise.onlyPushes());
                    assertThat(Stream.<ThrowingCallable>of(() -> beans.sums().put(1L, 1L), () -> beans.hits().put(1, 1),
                            () -> beans.jobs().pop(), () -> beans.ids().pop(0)))
                            .allSatisfy(
                                    broken -> assertThatThrownBy(broken).isInstanceOf(BrokenPromiseException.class));
                });
    }

    @Test
    void aStructureThatNobodyUsesIsNotMade() {
        runner("long-maps.hits.capacity=100")
                .run(context -> assertThat(context.getBean(World.class).structures()).isEmpty());
    }

    @Test
    void theUsersOwnBeanOfThatNameStaysAlone() {
        runner("long-maps.hits.capacity=100", "long-maps.other-hits.capacity=100")
                .withBean("hits", String.class, () -> "mine")
                .withBean("otherHits", String.class, () -> "mine, too")
                .run(context -> {
                    assertThat(context.getBean("hits")).isEqualTo("mine");
                    assertThat(context.getBean("otherHits")).isEqualTo("mine, too");
                    assertThat(context.getBean(LongLongMap.class).name()).isEqualTo("other-hits");
                });
    }

    @Test
    void aCodecBeanServesATypeThatAtollDoesNotKnow() {
        runner("maps.names.key-type=java.net.InetAddress", "maps.names.value-type=long", "maps.names.fixed=true",
                "filters.visitors.type=java.net.InetAddress")
                .withUserConfiguration(OwnCodec.class)
                .run(context -> {
                    InetAddress address = InetAddress.getByAddress(new byte[]{10, 0, 0, 1});
                    Visits visits = context.getBean(Visits.class);
                    visits.names().put(address, 7L);
                    assertThat(visits.names().get(address)).isEqualTo(7);
                    assertThat(visits.visitors().add(address)).isTrue();
                    assertThat(context.getBean(World.class).structures()).extracting("configuration")
                            .allMatch(text -> text.toString().contains("IPv4"));
                });
    }

    record Visits(DistributedMap<InetAddress, Long> names, BloomFilter<InetAddress> visitors) {}

    @Configuration(proxyBeanMethods = false)
    @Import(Visits.class)
    static class OwnCodec {

        @Bean
        Codec<InetAddress> addresses() {
            return new Codec<>() {

                @Override
                public String name() {
                    return "IPv4";
                }

                @Override
                public int bytes() {
                    return Long.BYTES;
                }

                @Override
                public void encode(InetAddress value, MemorySegment target, long position) {
                    target.set(ValueLayout.JAVA_LONG, position, 0);
                    MemorySegment.copy(MemorySegment.ofArray(value.getAddress()), 0, target, position, 4);
                }

                @Override
                public InetAddress decode(MemorySegment source, long position) {
                    try {
                        return InetAddress.getByAddress(source.asSlice(position, 4).toArray(ValueLayout.JAVA_BYTE));
                    } catch (UnknownHostException impossible) {
                        throw new AssertionError(impossible);
                    }
                }
            };
        }
    }
}
