package io.atoll.spring.autoconfigure.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.map.LongLongMap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Tests what a user reads when an application is refused. */
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class RefusedStartTest {

    @TempDir
    Path folder;

    private final List<World> worlds = new ArrayList<>();

    @AfterEach
    void leave() {
        worlds.forEach(World::close);
    }

    private World open(int size, int rank) {
        World world = World.named("shop")
                .size(size)
                .rank(rank)
                .segment(4 << 20)
                .fabric(Fabrics.sharedMemory(folder, false))
                .open();
        worlds.add(world);
        return world;
    }

    private String refusal(CapturedOutput output, Class<?> application, String... properties) {
        String[] arguments = Arrays.stream(properties).map(property -> "--" + property).toArray(String[]::new);
        assertThatException().isThrownBy(() -> new SpringApplicationBuilder(application).web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .properties("atoll.world.name=shop", "atoll.segment.size=4MB",
                        "atoll.fabric.shared-memory.folder=" + folder)
                .run(arguments)
                .close());
        String text = output.getOut();
        assertThat(text).contains("APPLICATION FAILED TO START", "Description:", "Action:");
        return text.substring(text.lastIndexOf("APPLICATION FAILED TO START"));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Plain {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class UsesAMapAtStart {

        @Bean
        ApplicationRunner first(LongLongMap hits) {
            return arguments -> hits.addAndGet(7, 1);
        }
    }

    @Test
    void anUnknownFabricShowsTheKnownOnes(CapturedOutput output) {
        assertThat(refusal(output, Plain.class, "atoll.fabric.type=shm"))
                .contains("There is no fabric of the type 'shm'")
                .contains("Set atoll.fabric.type to one of: shared-memory, tcp, rdma.");
    }

    @Test
    void aWorldWithoutRanksNamesTheProperty(CapturedOutput output) {
        assertThat(refusal(output, Plain.class, "atoll.world.size=0"))
                .contains("Invalid value '0' for configuration property 'atoll.world.size'")
                .contains("a world has 1 to 4096 ranks: size=0");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 2, 4097})
    void aWorldThatMayNotHaveItsOwnRanksOrTooManyNamesTheProperty(int maxSize, CapturedOutput output) {
        assertThat(refusal(output, Plain.class, "atoll.world.size=3", "atoll.world.max-size=" + maxSize))
                .contains("Invalid value '" + maxSize + "' for configuration property 'atoll.world.max-size'")
                .contains("a world may have as many ranks as it is founded with, and 4096 at most: maxSize=" + maxSize
                        + " size=3");
    }

    @Test
    void anImpossibleNameNamesTheProperty(CapturedOutput output) {
        assertThat(refusal(output, Plain.class, "atoll.world.name=my shop"))
                .contains("Invalid value 'my shop' for configuration property 'atoll.world.name'")
                .contains("letters, digits, dots, dashes, underscores");
    }

    @Test
    void aRankBeyondTheWorldNamesTheProperty(CapturedOutput output) {
        assertThat(refusal(output, Plain.class, "atoll.world.size=3", "atoll.world.rank=3"))
                .contains("Invalid value '3' for configuration property 'atoll.world.rank'")
                .contains("ranks run from 0 to size - 1: rank=3 size=3");
    }

    @Test
    void aSegmentTooSmallNamesThePropertyAndTheMinimum(CapturedOutput output) {
        assertThat(refusal(output, Plain.class, "atoll.segment.size=64KB"))
                .contains("Invalid value '64KB' for configuration property 'atoll.segment.size'")
                .containsPattern("segmentBytes=65536 minimumBytes=[0-9]{6}");
    }

    @Test
    void aSegmentOfBrokenPagesNamesTheProperty(CapturedOutput output) {
        assertThat(refusal(output, Plain.class, "atoll.segment.size=4194305B"))
                .contains("Invalid value '4194305B' for configuration property 'atoll.segment.size'")
                .contains("whole pages of 4096 bytes: segmentBytes=4194305");
    }

    @Test
    void aTypeThatIsMissingIsSaidToBe(CapturedOutput output) {
        assertThat(refusal(output, Plain.class, "atoll.maps.orders.key-type=long"))
                .contains("The property 'atoll.maps.orders.value-type' is missing.")
                .contains("Set it to a type, such as long, string or com.example.Order.");
    }

    @Test
    void aWrongTypeNamesTheProperty(CapturedOutput output) {
        assertThat(refusal(output, Plain.class, "atoll.filters.seen.type=com.example.Nobody"))
                .contains("Invalid value 'com.example.Nobody' for configuration property 'atoll.filters.seen.type'")
                .contains("duration, instant, string, uuid");
    }

    @Test
    void aRankThatIsTakenSaysHowToChooseAnother(CapturedOutput output) {
        open(2, 1);
        assertThat(refusal(output, Plain.class, "atoll.world.size=2", "atoll.world.rank=1"))
                .contains("This process cannot join the world: a living process holds this rank, choose another")
                .contains("Give each process its own atoll.world.rank: without one it takes the first that is free");
    }

    @Test
    void aFullWorldSaysHowToMakeItLarger(CapturedOutput output) {
        open(2, 0);
        open(2, 1);
        assertThat(refusal(output, Plain.class, "atoll.world.size=2")).contains("all ranks are taken")
                .contains("raise atoll.world.size");
    }

    @Test
    void moreMemoryThanThereIsSaysWhatThereIs(CapturedOutput output) {
        assertThat(refusal(output, Plain.class, "atoll.world.size=2", "atoll.segment.size=1024TB"))
                .containsPattern("askedBytes=1125899906842624 availableBytes=[0-9]+")
                .contains("Make atoll.segment.size smaller", "--shm-size");
    }

    @Test
    void aFolderThatIsNotThereIsNamed(CapturedOutput output) {
        assertThat(refusal(output, Plain.class, "atoll.world.size=2",
                "atoll.fabric.shared-memory.folder=" + folder.resolve("none")))
                .contains("folder=" + folder.resolve("none"))
                .contains("atoll.fabric.shared-memory");
    }

    @Test
    void anotherSizeSaysWhatWasFound(CapturedOutput output) {
        open(2, 0);
        assertThat(refusal(output, Plain.class, "atoll.world.size=3")).contains("foundSize=2", "expectedSize=3")
                .contains("use its atoll.world.size");
    }

    @Test
    void aFileThatIsNoSegmentSaysWhichAndLeavesItAlone(CapturedOutput output) throws IOException {
        Path file = Files.write(folder.resolve("atoll-shop-0.segment"), new byte[]{1, 2, 3});
        assertThat(refusal(output, Plain.class, "atoll.world.size=2", "atoll.world.rank=0"))
                .contains("not a segment of Atoll", "rank=0")
                .contains("remove its files from atoll.fabric.shared-memory.folder");
        assertThat(file).hasSize(3);
    }

    @Test
    void missingRanksAreNamedWhenTheStartNeedsThem(CapturedOutput output) {
        assertThat(refusal(output, UsesAMapAtStart.class, "atoll.world.size=3", "atoll.world.rank=1",
                "atoll.world.join-timeout=50ms", "atoll.long-maps.hits.capacity=10"))
                .contains("missing=[0, 2]")
                .contains("raise atoll.world.join-timeout");
    }

    @Test
    void aStructureThatDoesNotFitSaysWhatIsFree(CapturedOutput output) {
        assertThat(refusal(output, UsesAMapAtStart.class, "atoll.long-maps.hits.capacity=10000000"))
                .containsPattern("does not fit into the segment of rank 0: it needs 256MB, [0-9]MB are free")
                .contains("Raise atoll.segment.size");
    }

    @Test
    void aStructureThatAnotherRankMadeDifferentlyShowsBoth(CapturedOutput output) {
        open(2, 0);
        open(2, 1).longMap("hits").capacity(10).open();
        worlds.removeLast().close();
        assertThat(refusal(output, UsesAMapAtStart.class, "atoll.world.size=2", "atoll.long-maps.hits.capacity=20"))
                .contains("existing=[long-map first-capacity=10] asked=[long-map first-capacity=20]")
                .contains("Say the same of the structure at all processes");
    }
}
