package io.atoll.app.contigs;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.atoll.World;
import io.atoll.app.command.CommandException;
import io.atoll.app.job.JobRank;
import io.atoll.app.sequence.SequenceInput;
import io.atoll.app.sequence.kmer.KmerScanner;
import io.atoll.map.LongLongMap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * A rank's part of contig generation (BCL, section 9.2.1, after Meraculous). The rank counts k-mers and finds the
 * neighbours of each one. Then it follows the path from each end that lies here to the other end. A path is found from
 * both ends, and reported from one. K-mers that no end leads to form circles. Each circle is reported from its smallest
 * k-mer, where it is cut.
 *
 * @param length k
 * @param minimum the count from which on a k-mer belongs to the graph
 * @param distinct the most different k-mers
 */
record ContigGeneration(SequenceInput input, int length, long minimum, long distinct, int ranks)
        implements
            JobRank.Program {

    private static final double NANOS_PER_SECOND = 1e9;
    private static final long ADMINISTRATION_BYTES = 4 << 20;

    /** The size of a bucket of the graph: this many times the size of a bucket of the counts. */
    private static final int GRAPH_BUCKETS = 2;

    private static final int LONGEST_QUEUE = 1 << 16;
    private static final int ENTRY_BYTES = 2 * Long.BYTES;

    private int queueSize() {
        return Math.clamp(distinct / ranks, 1, LONGEST_QUEUE);
    }

    long segmentBytes() {
        long bytes = (1 + GRAPH_BUCKETS) * LongLongMap.bytesPerRank(ranks, distinct)
                + (long) queueSize() * ENTRY_BYTES;
        return bytes + bytes / 8 + ADMINISTRATION_BYTES;
    }

    @Override
    public void run(JobRank rank) throws InterruptedException {
        World world = rank.join(segmentBytes());
        LongLongMap counts = world.longMap("counts").fixedCapacity(distinct).open();
        world.barrier();
        long startNanos = System.nanoTime();
        input.visit(new KmerScanner(length, rank.rank(), rank.size(), kmer -> counts.addAndGet(kmer, 1)),
                rank::progress);
        world.barrier();
        long countedNanos = System.nanoTime();
        Graph graph = new Graph(world, counts, distinct, length, minimum);
        graph.build(queueSize());
        long builtNanos = System.nanoTime();
        var found = new Found(rank.rank());
        generate(world, graph, found);
        long[] nanos = {countedNanos - startNanos, builtNanos - countedNanos, System.nanoTime() - builtNanos};
        finish(rank, world, found, nanos);
    }

    private static void generate(World world, Graph graph, Consumer<String> contigs) throws InterruptedException {
        graph.forEachLocal(kmer -> {
            Strand strand = Strand.of(kmer, graph.length());
            generateFrom(strand, graph, contigs);
            generateFrom(strand.turned(), graph, contigs);
        });
        world.barrier();
        graph.forEachLocalLeft(kmer -> {
            Contig circle = Contig.from(Strand.of(kmer, graph.length()), graph);
            if (circle.beginsWithItsSmallest()) {
                contigs.accept(circle.bases(graph.length()));
            }
        });
        world.barrier();
    }

    private static void generateFrom(Strand strand, Graph graph, Consumer<String> contigs) {
        if (graph.next(strand.turned()).isPresent()) {
            // A k-mer leads to this one, so this one is not an end.
            return;
        }
        Contig contig = Contig.from(strand, graph);
        if (contig.isFromItsReportingEnd()) {
            contig.strands().forEach(graph::markFound);
            contigs.accept(contig.bases(graph.length()));
        }
    }

    /** The contigs that this rank reports, as FASTA. */
    private static final class Found implements Consumer<String> {

        private final int rank;
        private final StringBuilder lines = new StringBuilder();
        private long contigs;
        private long bases;
        private long longest;

        Found(int rank) {
            this.rank = rank;
        }

        @Override
        public void accept(String contig) {
            lines.append(">contig_")
                    .append(rank)
                    .append('_')
                    .append(contigs)
                    .append(" length=")
                    .append(contig.length())
                    .append('\n')
                    .append(contig)
                    .append('\n');
            contigs++;
            bases += contig.length();
            longest = Math.max(longest, contig.length());
        }
    }

    private static void finish(JobRank rank, World world, Found found, long[] nanos) throws InterruptedException {
        long[] sums = {found.contigs, found.bases};
        world.allReduce(sums, Long::sum);
        long[] maxima = {found.longest, nanos[0], nanos[1], nanos[2]};
        world.allReduce(maxima, Math::max);
        if (rank.rank() == 0) {
            rank.print(String.format(Locale.ROOT, "%-26s%d", "contigs", sums[0]));
            rank.print(String.format(Locale.ROOT, "%-26s%d", "bases", sums[1]));
            rank.print(String.format(Locale.ROOT, "%-26s%d", "longest", maxima[0]));
            rank.print(String.format(Locale.ROOT, "%-26s%.2f s", "counting", maxima[1] / NANOS_PER_SECOND));
            rank.print(String.format(Locale.ROOT, "%-26s%.2f s", "graph", maxima[2] / NANOS_PER_SECOND));
            rank.print(String.format(Locale.ROOT, "%-26s%.2f s", "contig generation", maxima[3] / NANOS_PER_SECOND));
        }
        if (rank.unfinishedResult().isPresent()) {
            byte[] lines = found.lines.toString().getBytes(US_ASCII);
            write(rank.unfinishedResult().get(), lines, rank.bytesBefore(world, lines.length));
        }
    }

    private static void write(Path file, byte[] lines, long position) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            ByteBuffer left = ByteBuffer.wrap(lines);
            while (left.hasRemaining()) {
                channel.write(left, position + left.position());
            }
        } catch (IOException failure) {
            throw new CommandException("cannot write the file of --out: " + failure.getMessage(), failure);
        }
    }
}
