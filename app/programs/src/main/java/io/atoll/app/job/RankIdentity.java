package io.atoll.app.job;

import io.atoll.fabric.trace.Delay;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Which rank of which job a process is. It stands in the process's command line. So the process knows from the
 * beginning which files it may have to remove.
 */
record RankIdentity(int rank, int size, JobFabric fabric, Delay delay, JobFiles files) {

    private static final String RANK = "atoll.job.rank";
    private static final String SIZE = "atoll.job.size";
    private static final String FABRIC = "atoll.job.fabric";
    private static final String DELAY_NANOS = "atoll.job.delay-nanos";
    private static final String DELAY_NANOS_PER_BYTE = "atoll.job.delay-nanos-per-byte";
    private static final String FOLDER = "atoll.job.folder";
    private static final String UNFINISHED = "atoll.job.unfinished";

    /** Returns nothing if no job has started this process. */
    static Optional<RankIdentity> ofThisProcess() {
        return Optional.ofNullable(System.getProperty(RANK))
                .map(rank -> new RankIdentity(Integer.parseInt(rank),
                        Integer.getInteger(SIZE), JobFabric.valueOf(System.getProperty(FABRIC)),
                        new Delay(Long.getLong(DELAY_NANOS),
                                Double.parseDouble(System.getProperty(DELAY_NANOS_PER_BYTE))),
                        new JobFiles(Path.of(System.getProperty(FOLDER)),
                                Optional.ofNullable(System.getProperty(UNFINISHED)).map(Path::of))));
    }

    List<String> toOptions() {
        List<String> options = new ArrayList<>();
        options.add(option(RANK, rank));
        options.add(option(SIZE, size));
        options.add(option(FABRIC, fabric.name()));
        options.add(option(DELAY_NANOS, delay.roundTripNanos()));
        options.add(option(DELAY_NANOS_PER_BYTE, delay.nanosPerByte()));
        options.add(option(FOLDER, files.folder()));
        files.unfinished().ifPresent(file -> options.add(option(UNFINISHED, file)));
        return options;
    }

    private static String option(String name, Object value) {
        return "-D" + name + "=" + value;
    }
}
