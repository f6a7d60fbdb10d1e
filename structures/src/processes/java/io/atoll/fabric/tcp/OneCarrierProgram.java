package io.atoll.fabric.tcp;

import io.atoll.fabric.Fabric;
import io.atoll.process.Program;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Two ranks in one process. Virtual threads of one rank add to words of the other. */
final class OneCarrierProgram implements Program {

    /** The number of words, which threads share. So each lane has waiting threads all the time. */
    private static final int WORDS = 8;

    private final AtomicLong failures = new AtomicLong();

    @Override
    public String obey(String command, List<String> arguments) throws Exception {
        return switch (command) {
            case "add" -> add(Path.of(arguments.get(0)), Integer.parseInt(arguments.get(1)),
                    Integer.parseInt(arguments.get(2)));
            default -> throw new IllegalArgumentException("no such command: command=" + command);
        };
    }

    /** Returns the sum of the additions, and how many threads have failed. */
    private String add(Path folder, int threads, int rounds) throws InterruptedException {
        try (TcpRanks ranks = new TcpRanks(folder)) {
            List<Thread> adding = new ArrayList<>();
            for (int number = 0; number < threads; number++) {
                long word = word(number % WORDS);
                adding.add(Thread.ofVirtual()
                        .uncaughtExceptionHandler((_, _) -> failures.incrementAndGet())
                        .start(() -> add(ranks.fabric(0), word, rounds)));
            }
            for (Thread thread : adding) {
                thread.join();
            }
            long sum = 0;
            for (int word = 0; word < WORDS; word++) {
                sum += ranks.fabric(1).local().getVolatile(word(word));
            }
            return sum + " " + failures;
        }
    }

    private static long word(int index) {
        return TcpRanks.FREE + 8L * index;
    }

    private static void add(Fabric fabric, long word, int rounds) {
        for (int round = 0; round < rounds; round++) {
            fabric.getAndAdd(1, word, 1);
        }
    }

    @Override
    public void close() {
        // Each command has ended what it began.
    }
}
