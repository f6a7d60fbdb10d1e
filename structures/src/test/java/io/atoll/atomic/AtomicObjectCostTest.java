package io.atoll.atomic;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.fabric.trace.Journal;
import io.atoll.fabric.trace.RecordingFabric;
import io.atoll.memory.GlobalPointer;
import org.junit.jupiter.api.Test;

/** Counts the verbs of each operation. They are as the Javadoc promises. */
class AtomicObjectCostTest {

    private static final GlobalPointer OBJECT = new GlobalPointer(1, 128);

    private static RecordingFabric fabric(Guarantees guarantees) {
        return new RecordingFabric(new Simulation(1, SimOptions.ranks(2).guarantees(guarantees)).fabric(0));
    }

    private static String costs(Journal journal) {
        return "R".repeat(journal.reads()) + "W".repeat(journal.writes()) + "A".repeat(journal.atomics()) + " in "
                + journal.roundTrips();
    }

    private static void assertCosts(Guarantees guarantees, String ofAnExchange) {
        RecordingFabric fabric = fabric(guarantees);
        var object = AtomicObject.plain(new Endpoint(fabric), 1, 64, ObjectType.POINTER);
        assertThat(costs(fabric.record(object::read))).isEqualTo("R in 1");
        assertThat(costs(fabric.record(() -> object.write(OBJECT)))).isEqualTo(ofAnExchange);
        assertThat(costs(fabric.record(() -> object.exchange(OBJECT)))).isEqualTo(ofAnExchange);
        assertThat(costs(fabric.record(() -> object.compareAndSwap(OBJECT, null)))).isEqualTo("A in 1");
        assertThat(costs(fabric.record(() -> object.compareAndSwap(OBJECT, null)))).as("fails").isEqualTo("A in 1");
    }

    @Test
    void aPlainObjectIsExchangedByOneAtomicWhereTheFabricSwaps() {
        assertCosts(SimOptions.SHARED_MEMORY, "A in 1");
    }

    @Test
    void andByAReadAndAnAtomicElsewhere() {
        assertCosts(SimOptions.NETWORK_CARD, "RA in 2");
    }

    @Test
    void aProtectedObjectThatNobodyElseChangesCostsOneAtomic() {
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            RecordingFabric fabric = fabric(guarantees);
            var object = AtomicObject.abaProtected(new Endpoint(fabric), 1, 64, ObjectType.POINTER);
            assertThat(costs(fabric.record(object::read))).isEqualTo("R in 1");
            assertThat(costs(fabric.record(() -> object.write(OBJECT)))).isEqualTo("A in 1");
            assertThat(costs(fabric.record(() -> object.exchange(OBJECT)))).isEqualTo("A in 1");
            assertThat(costs(fabric.record(() -> object.compareAndSwap(OBJECT, null)))).isEqualTo("A in 1");
            assertThat(costs(fabric.record(() -> object.compareAndSwap(OBJECT, null)))).as("fails")
                    .isEqualTo("R in 1");
            assertThat(costs(fabric.record(object::readAba))).isEqualTo("R in 1");
            assertThat(costs(fabric.record(() -> object.writeAba(OBJECT)))).isEqualTo("A in 1");
            assertThat(costs(fabric.record(() -> object.exchangeAba(OBJECT)))).isEqualTo("A in 1");
            Aba<GlobalPointer> seen = object.readAba();
            assertThat(costs(fabric.record(() -> object.compareAndSwapAba(seen, null)))).isEqualTo("A in 1");
            assertThat(costs(fabric.record(() -> object.writeAba(OBJECT)))).isEqualTo("A in 1");
        }
    }

    @Test
    void andOneMoreVerbAfterOthersHaveChangedIt() {
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            RecordingFabric fabric = fabric(guarantees);
            Endpoint endpoint = new Endpoint(fabric);
            var object = AtomicObject.abaProtected(endpoint, 1, 64, ObjectType.POINTER);
            var others = AtomicObject.abaProtected(endpoint, 1, 64, ObjectType.POINTER);
            others.write(OBJECT);
            assertThat(costs(fabric.record(() -> object.exchange(OBJECT)))).isEqualTo("AA in 2");
            others.write(null);
            assertThat(costs(fabric.record(() -> object.compareAndSwap(null, OBJECT)))).isEqualTo("RA in 2");
            others.write(null);
            assertThat(object.exchangeAba(OBJECT).count()).isEqualTo(5);
            others.write(OBJECT);
            assertThat(costs(fabric.record(() -> object.compareAndSwapAba(object.readAba(), null))))
                    .isEqualTo("RA in 2");
        }
    }

    @Test
    void aLocalObjectCostsNoVerbOnAnyFabric() {
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            RecordingFabric fabric = fabric(guarantees);
            var object = LocalAtomicObject.abaProtected(new Endpoint(fabric), 64, ObjectType.POINTER);
            GlobalPointer own = new GlobalPointer(0, 128);
            assertThat(fabric.record(() -> {
                object.write(own);
                object.exchange(own);
                object.compareAndSwap(own, null);
                object.compareAndSwapAba(object.readAba(), own);
            })).hasToString("no verb");
            assertThat(object.read()).isEqualTo(own);
        }
    }

    @Test
    void aLocalObjectOfWhoHasLeftGoesToTheFabric() {
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            RecordingFabric fabric = fabric(guarantees);
            Endpoint endpoint = new Endpoint(fabric);
            var object = LocalAtomicObject.plain(endpoint, 64, ObjectType.POINTER);
            endpoint.detach();
            assertThat(costs(fabric.record(object::read))).isEqualTo("R in 1");
        }
    }

    @Test
    void anObjectInTheOwnSegmentGoesOverTheFabricWhereItsAtomicsAreNotTheProcessors() {
        RecordingFabric card = fabric(SimOptions.NETWORK_CARD);
        var object = AtomicObject.plain(new Endpoint(card), 0, 64, ObjectType.POINTER);
        assertThat(costs(card.record(() -> object.write(OBJECT)))).isEqualTo("RA in 2");
        RecordingFabric coherent = fabric(SimOptions.SHARED_MEMORY);
        var mapped = AtomicObject.plain(new Endpoint(coherent), 0, 64, ObjectType.POINTER);
        assertThat(coherent.record(() -> mapped.write(OBJECT))).hasToString("no verb");
    }
}
