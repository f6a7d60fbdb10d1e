package io.atoll.app.programs;

import io.atoll.app.NodeApplication;
import io.atoll.app.bench.BenchCommand;
import io.atoll.app.contigs.ContigsCommand;
import io.atoll.app.isx.IsxCommand;
import io.atoll.app.job.JobRank;
import io.atoll.app.kmer.KmerCommand;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Command;

/**
 * The program of the jar that contains everything: the node, and jobs as further commands. A job starts this program
 * again for each of its ranks.
 */
@Command(name = "java -jar atoll-app.jar")
public final class AtollApplication extends NodeApplication {

    public static void main(String[] args) {
        JobRank.runIfStartedByAJob();
        new AtollApplication().start(args);
    }

    @Override
    protected List<Object> commands() {
        return Stream
                .concat(Stream.of(new KmerCommand(), new ContigsCommand(), new IsxCommand(), new BenchCommand()),
                        super.commands().stream())
                .toList();
    }
}
