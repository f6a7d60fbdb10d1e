package io.atoll;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.atoll.map.HashMapBuffer;
import io.atoll.memory.StackSafeLock;
import io.atoll.queue.FastQueue;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;

/** The dependencies between the packages, and what the code must never do. */
@AnalyzeClasses(packages = "io.atoll", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    /** The types that describe segments word by word. */
    private static final String PICTURES = "io\\.atoll\\.(epoch\\.(Announcement|Bag|EpochBlock)"
            + "|lock\\.(CountLine|Demand|Descriptor|FencingToken|Grant|LockLine|Note|Phase|TableLayout|Tail)"
            + "|map\\.(Block|BlockHead|Bucket|LongBucket)|queue\\.(QueueBlock|RingBlock|Slot))(\\$.*)?";

    @ArchTest
    static final ArchRule arrowsRunDownwards = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.atoll..")
            .layer("facade")
            .definedBy("io.atoll")
            .layer("structures")
            .definedBy("io.atoll.map..", "io.atoll.filter..", "io.atoll.linked..", "io.atoll.queue..",
                    "io.atoll.array..")
            .layer("history")
            .definedBy("io.atoll.history..")
            .layer("promise")
            .definedBy("io.atoll.promise..")
            .layer("completion")
            .definedBy("io.atoll.completion..")
            .layer("epoch")
            .definedBy("io.atoll.epoch..")
            .layer("atomic")
            .definedBy("io.atoll.atomic..")
            .layer("lock")
            .definedBy("io.atoll.lock..")
            .layer("collective")
            .definedBy("io.atoll.collective..")
            .layer("codec")
            .definedBy("io.atoll.codec..")
            .layer("world")
            .definedBy("io.atoll.world..")
            .layer("view")
            .definedBy("io.atoll.view..")
            .layer("heap")
            .definedBy("io.atoll.heap..")
            .layer("fabric")
            .definedBy("io.atoll.fabric..")
            .layer("memory")
            .definedBy("io.atoll.memory..")
            .layer("background")
            .definedBy("io.atoll.background..")
            .layer("failure")
            .definedBy("io.atoll.failure..")
            .whereLayer("facade")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("structures")
            .mayOnlyBeAccessedByLayers("facade")
            .whereLayer("history")
            .mayOnlyBeAccessedByLayers("facade")
            .whereLayer("promise")
            .mayOnlyBeAccessedByLayers("structures")
            .whereLayer("completion")
            .mayOnlyBeAccessedByLayers("facade", "structures")
            .whereLayer("epoch")
            .mayOnlyBeAccessedByLayers("facade", "structures", "completion", "history")
            .whereLayer("atomic")
            .mayOnlyBeAccessedByLayers("facade", "structures")
            .whereLayer("lock")
            .mayOnlyBeAccessedByLayers("facade", "history")
            .whereLayer("collective")
            .mayOnlyBeAccessedByLayers("facade")
            .whereLayer("codec")
            .mayOnlyBeAccessedByLayers("facade", "structures", "lock")
            .whereLayer("world")
            .mayOnlyBeAccessedByLayers("facade", "structures", "promise", "epoch", "lock",
                    "collective", "history")
            .whereLayer("view")
            .mayOnlyBeAccessedByLayers("facade", "world")
            .whereLayer("heap")
            .mayOnlyBeAccessedByLayers("facade", "structures", "epoch", "world", "history")
            .whereLayer("fabric")
            .mayOnlyBeAccessedByLayers("facade", "structures", "completion", "promise", "epoch", "atomic",
                    "lock", "collective",
                    "world", "view", "heap", "history")
            .whereLayer("background")
            .mayOnlyBeAccessedByLayers("facade", "epoch", "lock", "collective", "world", "view", "fabric",
                    "history")
            .whereLayer("memory")
            .mayOnlyBeAccessedByLayers("facade", "structures", "completion", "promise", "epoch", "atomic",
                    "lock", "collective",
                    "codec",
                    "world", "view", "heap",
                    "fabric", "history");

    @ArchTest
    static final ArchRule packagesAreFreeOfCycles = slices().matching("io.atoll.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule picturesOfMemoryDoNotKnowTheirReadersAndWriters = noClasses().that()
            .haveNameMatching(PICTURES)
            .should()
            .dependOnClassesThat(resideInAPackage("io.atoll..")
                    .and(not(resideInAnyPackage("io.atoll.memory", "io.atoll.failure")))
                    .and(not(nameMatching(PICTURES)))
                    // A ring is named by a word that its readers follow.
                    .and(not(nameMatching("io\\.atoll\\.queue\\.RingReference"))));

    @ArchTest
    static final ArchRule waitingAndTheDirectoryDoNotKnowTheWorldTheyServe = noClasses().that()
            .haveNameMatching(
                    "io\\.atoll\\.world\\.(StepObserver|Creation|Directory|DirectoryEntry|WaitReason"
                            + "|StructureStats|KnownEntries|Lease|Liveness|NamedStructure|OnLoss|Replacement"
                            + "|Reservations"
                            + "|WaitingLine|Waits)")
            .should()
            .dependOnClassesThat()
            .haveNameMatching(
                    "io\\.atoll\\.world\\.(Barrier|Departures|FencedFabric|Handle|Member|Membership|Participant"
                            + "|Peers|SegmentLayout|hazelcast\\..*)");

    @ArchTest
    static final ArchRule structuresDoNotKnowEachOther = slices().matching("io.atoll.(map|filter|linked|queue|array)..")
            .should()
            .notDependOnEachOther()
            // A map's buffer collects entries in queues by design.
            .ignoreDependency(belongToAnyOf(HashMapBuffer.class), belongToAnyOf(FastQueue.class));

    @ArchTest
    static final ArchRule fabricsAreKnownToTheFacadeAlone = noClasses().that()
            .resideOutsideOfPackages("io.atoll", "io.atoll.fabric.shm..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.atoll.fabric.shm..");

    @ArchTest
    static final ArchRule verbsAreKnownToTheFacadeAlone = noClasses().that()
            .resideOutsideOfPackages("io.atoll", "io.atoll.fabric.rdma..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.atoll.fabric.rdma..");

    @ArchTest
    static final ArchRule tcpIsKnownToTheFacadeAlone = noClasses().that()
            .resideOutsideOfPackages("io.atoll", "io.atoll.fabric.tcp..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.atoll.fabric.tcp..");

    @ArchTest
    static final ArchRule linksKnowNoTransport = noClasses().that()
            .resideInAPackage("io.atoll.fabric.link..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.atoll.fabric.tcp..", "io.atoll.fabric.rdma..", "io.atoll.fabric.shm..");

    @ArchTest
    static final ArchRule disniStaysInTheVerbs = noClasses().that()
            .resideOutsideOfPackages("io.atoll.fabric.rdma..", "io.atoll.disni..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("com.ibm.disni..");

    @ArchTest
    static final ArchRule kryoStaysInItsPackage = noClasses().that()
            .resideOutsideOfPackage("io.atoll.codec.kryo..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("com.esotericsoftware..");

    @ArchTest
    static final ArchRule hazelcastStaysInItsPackage = noClasses().that()
            .resideOutsideOfPackage("io.atoll.world.hazelcast..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("com.hazelcast..");

    @ArchTest
    static final ArchRule packagesAreNamedForAnIdea = noClasses().should()
            .resideInAnyPackage("..util..", "..utils..", "..common..", "..impl..", "..helper..");

    @ArchTest
    static final ArchRule nothingIsAManager = noClasses().that()
            .haveSimpleNameNotEndingWith("EpochManager")
            .should()
            .haveSimpleNameEndingWith("Manager");

    @ArchTest
    static final ArchRule oneClassTouchesSharedMemory = noClasses().that()
            .doNotHaveFullyQualifiedName("io.atoll.memory.MappedMemory")
            .and()
            // Codecs lay out memory of their own. The provider reaches a field of another library.
            .resideOutsideOfPackages("io.atoll.codec..", "io.atoll.disni..")
            .should()
            .callMethodWhere(target(owner(type(VarHandle.class)))
                    .and(describe("order more than what is already there", call -> !call.getName().endsWith("Fence"))));

    @ArchTest
    static final ArchRule noFullStackLeavesALockLocked = noClasses().that()
            .doNotBelongToAnyOf(StackSafeLock.class)
            .should()
            .dependOnClassesThat()
            .belongToAnyOf(ReentrantLock.class, ReentrantReadWriteLock.class, StampedLock.class);

    @ArchTest
    static final ArchRule nobodySleeps = noClasses().should().callMethod(Thread.class, "sleep", long.class);

    @ArchTest
    static final ArchRule theLibraryDoesNotPrint = noClasses().should().accessField(System.class, "out");
}
