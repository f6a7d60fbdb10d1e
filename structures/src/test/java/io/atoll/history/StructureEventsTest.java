package io.atoll.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.map.LongLongMap;
import io.atoll.queue.FastQueue;
import io.atoll.queue.LongCircularQueue;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The events of structures in the histories of two ranks. */
class StructureEventsTest {

    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private World world;
    private World other;

    @BeforeEach
    void open() {
        world = open(0);
        other = open(1);
    }

    @AfterEach
    void leave() {
        world.close();
        other.close();
    }

    private World open(int rank) {
        return World.named("changes")
                .size(2)
                .rank(rank)
                .segment(16 << 20)
                .fabric(Fabrics.sharedMemory(folder, false))
                .history(true)
                .open();
    }

    /** Returns the events of that kind, as each rank has written them. */
    private List<Event> events(Event.Kind kind) {
        return Stream.of(0, 1)
                .flatMap(rank -> other.inspection().history(rank).stream())
                .flatMap(history -> history.events().stream())
                .filter(event -> event.kind() == kind)
                .toList();
    }

    private List<Event> awaitLast(Event.Kind kind, String text) {
        await().atMost(SOON).until(() -> events(kind).stream().anyMatch(event -> event.text().equals(text)));
        return events(kind);
    }

    private static void marker(World at) {
        LongCircularQueue queue = at.longQueue("marker").capacity(8).open();
        queue.resize(16);
    }

    private static void fill(LongLongMap map, long first) {
        for (long key = first; key < 4_000; key += 2) {
            map.put(key, 1);
        }
    }

    @Test
    void aMapThatHasGrownIsToldOnceOfEachBlock() {
        LongLongMap hits = world.longMap("hits").capacity(64).open();
        LongLongMap same = other.longMap("hits").capacity(64).open();
        try (var ranks = Executors.newVirtualThreadPerTaskExecutor()) {
            ranks.submit(() -> fill(hits, 0));
            ranks.submit(() -> fill(same, 1));
        }
        marker(world);
        // The rank's earlier notes are written then.
        marker(other);
        awaitLast(Event.Kind.MOVED, "marker: from 8 elements at rank 0 to 16 elements at rank 0");
        awaitLast(Event.Kind.MOVED, "marker: from 16 elements at rank 0 to 16 elements at rank 0");
        List<Event> grown = events(Event.Kind.GROWN);
        assertThat(grown).extracting(Event::text)
                .contains("hits: from 128 to 256 buckets", "hits: from 1024 to 2048 buckets")
                .allMatch(text -> text.startsWith("hits: from "));
        assertThat(grown).extracting(event -> event.subject() + " " + event.text()).doesNotHaveDuplicates();
        assertThat(grown).extracting(Event::subject).contains(0, 1);
    }

    @Test
    void aQueueThatHasMovedIsToldOnceByWhoeverHasMovedIt() {
        LongCircularQueue jobs = other.longQueue("jobs").capacity(100).open();
        LongCircularQueue same = world.longQueue("jobs").capacity(100).open();
        jobs.push(1);
        jobs.resize(200);
        same.push(2);
        assertThat(same.pop(-1)).isEqualTo(1);
        jobs.migrate(1);
        same.push(3);
        List<Event> moved = awaitLast(Event.Kind.MOVED, "jobs: from 200 elements at rank 0 to 200 elements at rank 1");
        assertThat(moved).extracting(Event::text)
                .containsExactly("jobs: from 100 elements at rank 0 to 200 elements at rank 0",
                        "jobs: from 200 elements at rank 0 to 200 elements at rank 1");
        assertThat(moved).extracting(Event::subject).containsExactly(0, 1);
        assertThat(other.inspection().history(1).orElseThrow().events()).containsAll(moved);
    }

    @Test
    void aFastQueueThatHasMovedIsTold() {
        FastQueue<Long> cells = world.fastQueue("cells", Long.class).capacity(10).open();
        cells.resize(20);
        assertThat(awaitLast(Event.Kind.MOVED, "cells: from 10 elements at rank 0 to 20 elements at rank 0"))
                .hasSize(1);
    }
}
