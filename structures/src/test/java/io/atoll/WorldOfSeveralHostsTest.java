package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.fabric.FabricType;
import io.atoll.fabric.tcp.Security;
import io.atoll.fabric.tcp.Tcp;
import io.atoll.fabric.trace.Delay;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A world refuses to start with settings that exclude processes of other hosts, or admit everyone. */
@Timeout(120)
class WorldOfSeveralHostsTest {

    @TempDir
    private Path folder;

    private FabricType memory() {
        return Fabrics.sharedMemory(folder, false);
    }

    private WorldBuilder world(FabricType fabric) {
        return World.named("far").size(2).fabric(fabric).segment(4 << 20).membership(new OpenRoster().membership(true));
    }

    private Tcp tcp() {
        return new Tcp(memory());
    }

    private void assertRefused(WorldBuilder world, Reason reason, String... texts) {
        assertThatExceptionOfType(JoinRefusedException.class).isThrownBy(() -> world.open().close())
                .satisfies(refused -> {
                    assertThat(refused.reason()).isEqualTo(reason);
                    assertThat(refused.getMessage()).contains(texts);
                });
        assertThat(folder).isEmptyDirectory();
    }

    /** The first process of each host would be rank 0. */
    @Test
    void beyondThisHostAProcessIsToldItsRank() {
        for (FabricType fabric : List.of(memory(), tcp().bind("0.0.0.0", 0).security(Security.none()))) {
            assertRefused(world(fabric), Reason.RANK_UNKNOWN, "give each process its rank",
                    "world=far rank=none size=2");
            world(fabric).rank(0).open().close();
        }
    }

    @Test
    void withinThisHostOrAloneItTakesOne() {
        world(tcp()).membership(new OpenRoster().membership(false)).open().close();
        world(tcp()).size(1).open().close();
    }

    @Test
    void whatListensAtLoopbackOnlyIsRefusedWhereOtherHostsAreToReachIt() {
        Tcp open = tcp().security(Security.none());
        for (FabricType unreached : List.of(open, open.bind("127.0.0.2", 0), open.advertise("shop-0.shop"),
                Fabrics.delayed(open, new Delay(1, 0)))) {
            assertRefused(world(unreached).rank(1), Reason.UNREACHABLE, "listens at loopback only",
                    "world=far rank=1 fabric=tcp");
        }
    }

    /** A forwarder may pass another name on to loopback. So such a name is set on purpose, and so is loopback. */
    @Test
    void whatOtherHostsReachIsNotRefused() {
        Tcp open = tcp().security(Security.none());
        for (FabricType reached : List.of(open.bind("0.0.0.0", 0),
                open.bind("localhost", 0).advertise("shop-0.shop"))) {
            world(reached).rank(1).open().close();
        }
    }

    @Test
    void whereOtherHostsReachItSomebodySaysWhoIsLetIn() {
        assertRefused(world(tcp().bind("0.0.0.0", 0)).rank(0), Reason.UNSECURED, "bind=0.0.0.0");
        assertRefused(world(tcp().bind("localhost", 0).advertise("192.0.2.7")).rank(0), Reason.UNSECURED,
                "bind=localhost host=192.0.2.7");
    }
}
