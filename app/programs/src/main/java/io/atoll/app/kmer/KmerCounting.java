package io.atoll.app.kmer;

import io.atoll.World;
import io.atoll.app.command.CommandException;
import io.atoll.app.job.JobRank;
import io.atoll.app.sequence.SequenceInput;
import io.atoll.app.sequence.kmer.KmerScanner;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.SegmentFullException;
import io.atoll.failure.TableFullException;
import io.atoll.filter.LongBloomFilter;
import io.atoll.map.LongLongMap;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.function.LongConsumer;

/**
 * A rank's part of a k-mer count (BCL, section 9.2.2). Its share of the k-mers goes into one map over all ranks. The
 * share of the map that lies at this rank goes into the result.
 *
 * @param length k
 * @param minimum the count from which on a k-mer is written
 */
record KmerCounting(SequenceInput input, int length, long minimum, TablePlan plan) implements JobRank.Program {

    private static final double NANOS_PER_SECOND = 1e9;

    /** The findings of one pass over the input: the number of all its reads, and this rank's share of its k-mers. */
    private record Pass(long reads, long kmers) {}

    @Override
    public void run(JobRank rank) throws InterruptedException {
        try {
            World world = rank.join(plan.segmentBytes());
            LongLongMap counts = world.longMap("counts").fixedCapacity(plan.keys()).open();
            world.barrier();
            long startNanos = System.nanoTime();
            Pass pass = plan.filtered() ? countRepeated(rank, world, counts) : countAll(rank, counts);
            world.barrier();
            double seconds = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
            finish(rank, world, counts, pass, seconds);
        } catch (TableFullException failure) {
            throw new CommandException("the table is full, raise --distinct: " + failure.getMessage(), failure);
        } catch (SegmentFullException failure) {
            throw new CommandException("the segment is too small, raise --segment: " + failure.getMessage(), failure);
        } catch (JoinRefusedException failure) {
            throw new CommandException(advice(failure) + failure.getMessage(), failure);
        }
    }

    private static String advice(JoinRefusedException failure) {
        return switch (failure.reason()) {
            case NO_SPACE -> "there is not enough memory, change --segment or --shared-memory: ";
            case NO_RDMA_DEVICE, NO_RDMA_ATOMICS, LOCKED_MEMORY, ADDRESS_UNAVAILABLE, UNREACHABLE, FABRIC_UNAVAILABLE ->
                "this machine cannot use the fabric, choose another by --fabric: ";
            default -> "";
        };
    }

    private Pass countAll(JobRank rank, LongLongMap counts) {
        return pass(rank, 0, 1, kmer -> counts.addAndGet(kmer, 1));
    }

    /**
     * A k-mer enters the map at its second sighting, since the filter knows the first. Counting begins only after that,
     * in a second pass (as in BFCounter, Melsted and Pritchard, BMC Bioinformatics 2011). The filter may take a first
     * sighting for a second one, because it mistakes the k-mer for another. This is not known in time to decide if the
     * count starts at one or at two.
     */
    private Pass countRepeated(JobRank rank, World world, LongLongMap counts) throws InterruptedException {
        LongBloomFilter seen = world.longFilter("seen")
                .expectedElements(plan.filterElements())
                .falsePositiveRate(TablePlan.FALSE_POSITIVE_RATE)
                .open();
        pass(rank, 0, 2, kmer -> {
            if (!seen.add(kmer)) {
                counts.putIfAbsent(kmer, 0);
            }
        });
        world.barrier();
        return pass(rank, 1, 2, kmer -> {
            if (counts.containsKey(kmer)) {
                counts.addAndGet(kmer, 1);
            }
        });
    }

    private Pass pass(JobRank rank, int number, int passes, LongConsumer kmers) {
        KmerScanner scanner = new KmerScanner(length, rank.rank(), rank.size(), kmers);
        long reads = input.visit(scanner, (done, total) -> rank.progress(number * total + done, passes * total));
        return new Pass(reads, scanner.count());
    }

    private void finish(JobRank rank, World world, LongLongMap counts, Pass pass, double seconds)
            throws InterruptedException {
        CountStatistics own = new CountStatistics(length, minimum);
        counts.forEachLocal(own);
        long[] sums = {pass.kmers(), own.total(), own.distinct(), own.unique()};
        world.allReduce(sums, Long::sum);
        long[] maximum = {own.maximum()};
        world.allReduce(maximum, Math::max);
        // Each k-mer that was kept out occurs once. All sightings of a k-mer in the map are counted there.
        long keptOut = sums[0] - sums[1];
        if (keptOut != 0 && !plan.filtered()) {
            throw new IllegalStateException("counts do not add up: kmers=" + sums[0] + " counted=" + sums[1]);
        }
        if (rank.rank() == 0) {
            new KmerSummary(pass.reads(), sums[0], sums[2] + keptOut, sums[3] + keptOut, maximum[0], seconds)
                    .lines()
                    .forEach(rank::print);
        }
        if (rank.unfinishedResult().isPresent()) {
            write(counts, rank.unfinishedResult().get(), rank.bytesBefore(world, own.lineBytes()));
        }
    }

    private void write(LongLongMap counts, Path file, long position) {
        try (CountLines lines = new CountLines(file, position, length, minimum)) {
            counts.forEachLocal(lines);
        } catch (IOException | UncheckedIOException failure) {
            throw new CommandException("cannot write the file of --out: " + failure.getMessage(), failure);
        }
    }
}
