package io.atoll.chaos;

import io.atoll.chaos.check.Checks;
import io.atoll.chaos.check.Finding;
import io.atoll.chaos.check.Run;
import io.atoll.chaos.history.Entry;
import io.atoll.chaos.history.Recorder;
import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import io.atoll.chaos.workload.Setting;
import io.atoll.world.hazelcast.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** One world, from its first process to the judgement of what all processes wrote down. */
final class Play implements AutoCloseable {

    /** The file that tells what happened to the world, and when. */
    static final String EVENTS = "events.log";

    private static final int PORTS = 16;
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(2);
    /**
     * The operation timeout bounds an operation. The rest is for a machine that is overloaded. Time in which a process
     * is paused does not count.
     */
    private static final long DEADLINE_NANOS = Setting.OPERATION_TIMEOUT.toNanos() + TimeUnit.SECONDS.toNanos(20);
    private static final long GRACE_MILLIS = Setting.OPERATION_TIMEOUT.toMillis() + 2_000;
    /**
     * All ranks take part for at least this time before the next fault comes, even on a machine so busy that all faults
     * are late.
     */
    private static final long WHOLE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long WATCH_MILLIS = 3_500;
    private static final long IDLE_MILLIS = 60_000;
    private static final long OPENING_MILLIS = 40_000;
    private static final long AGAIN_MILLIS = 300;
    private static final long POLL_MILLIS = 20;
    private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(45);
    private static final int SPARE_DISK_BYTES = 1 << 20;

    /** A life of a rank. The lives of one rank follow each other. */
    private record Life(int number, int rank, Host host, Path history) {}

    private record Due(long atNanos, Step step) {}

    private interface Step {
        void take() throws Exception;
    }

    private final Script script;
    private final String fabric;
    private final Path logs;
    private final Disk disk;
    private final int port;
    private final long begin = System.nanoTime();
    // When the faults began.
    private long acting;
    // When a rank was last missing or paused.
    private long broken = System.nanoTime();
    // When a rank last began to work.
    private long joined = System.nanoTime();
    private int numbers;
    private final List<Life> lives = new ArrayList<>();
    // The lives by rank; null for a rank that is not there.
    private final Life[] present;
    private final List<Host> hosts = new ArrayList<>();
    private final Set<Life> leaving = new HashSet<>();
    // Numbers of lives.
    private final Set<Integer> killed = new HashSet<>();
    // Numbers of lives.
    private final Set<Integer> fenced = new HashSet<>();
    // When each life left, by its number.
    private final Map<Integer, Long> left = new HashMap<>();
    // Ranks that are gone for good.
    private final Set<Integer> gone = new HashSet<>();
    private final PriorityQueue<Due> due = new PriorityQueue<>(Comparator.comparingLong(Due::atNanos));
    private final List<long[]> pauses = new ArrayList<>();
    private final List<Finding> findings = new ArrayList<>();
    private final Set<String> hanging = new HashSet<>();
    // True once there are no more faults.
    private boolean calm;
    private Set<Structure> drained = Set.of();
    private long operations;
    private long undecided;
    private long rounds;

    /**
     * @param fabric by which the ranks reach each other, as in {@link Setting}
     * @param folder of all worlds
     */
    Play(Script script, String fabric, int number, CoordinatorFolder folder, Path logs) throws IOException {
        this.script = script;
        this.fabric = fabric;
        this.logs = logs;
        this.disk = Disk.create(folder.path().resolve(folder.world(number)),
                script.pressed() ? script.ranks() * script.segmentBytes() + SPARE_DISK_BYTES : 0);
        this.port = script.hazelcast() ? FreePorts.range(PORTS) : 0;
        this.present = new Life[script.ranks()];
    }

    List<Finding> findings() {
        return findings;
    }

    String summary() {
        return lives.size() + " lives, " + killed.size() + " killed, " + fenced.size() + " fenced, " + pauses.size()
                + " pauses, " + operations
                + " operations, " + rounds + " rounds" + (undecided > 0 ? ", keys not judged: " + undecided : "");
    }

    private void find(String what) {
        findings.add(new Finding(what, List.of()));
    }

    /** Writes down when an event happened, for readers of the logs. */
    private void log(String event) throws IOException {
        Files.writeString(logs.resolve(EVENTS),
                "%,14d %s%n".formatted((System.nanoTime() - begin) / 1000, event), StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    private static long millisToNanos(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }

    void run() throws Exception {
        try {
            openAll();
            act();
            calm();
            end();
        } catch (Host.Silent silent) {
            find(String.valueOf(silent.getMessage()));
        } catch (ExecutionException failure) {
            find("a command fails: " + failure.getMessage());
        } finally {
            for (Host host : hosts) {
                host.kill();
            }
        }
        judge();
    }

    // --- the beginning ---

    private void openAll() throws Exception {
        int last = script.ranks() - 1;
        if (disk.isSmall()) {
            for (int rank = 0; rank < last; rank++) {
                open(rank);
            }
            disk.fill();
            refuse(last);
            disk.empty();
            open(last);
            disk.fill();
        } else {
            List<Life> opening = new ArrayList<>();
            List<CompletableFuture<String>> answers = new ArrayList<>();
            for (int rank = 0; rank <= last; rank++) {
                Life life = begin(rank, host(rank));
                opening.add(life);
                answers.add(life.host.tell(opening(life)));
            }
            for (Life life : opening) {
                life.host.await(answers.get(life.rank), "open");
                present[life.rank] = life;
            }
        }
        for (Life life : present) {
            life.host.ask("work " + life.rank);
        }
        joined = System.nanoTime();
    }

    /** Begins a new life in a process that {@link #host} has returned. */
    private Life begin(int rank, Host host) throws Exception {
        if (script.together() && script.hostOf(rank) == 0) {
            host.ask("load " + rank);
        }
        Life life = new Life(numbers, rank, host, logs.resolve("history-" + numbers));
        numbers++;
        lives.add(life);
        return life;
    }

    /** Returns the process that the rank shares if it lives, otherwise a new one. */
    private Host host(int rank) {
        if (script.together() && script.hostOf(rank) == 0) {
            for (Life life : lives.reversed()) {
                if (script.hostOf(life.rank) == 0 && life.host.isAlive()) {
                    return life.host;
                }
            }
        }
        Host host = new Host(script.heapMegabytes(), disk.folder(), logs.resolve("process-" + hosts.size() + ".log"));
        hosts.add(host);
        return host;
    }

    private String opening(Life life) {
        var setting = new Setting(disk.folder(), life.history, script.ranks(), life.rank, life.number, script.seed(),
                begin, script.segmentBytes(), port, fabric, "", script.largestText(),
                script.pressed(), script.interrupts() && !calm, script.errors(), script.reduces());
        return "open " + life.rank + " " + String.join(" ", setting.words());
    }

    private void open(int rank) throws Exception {
        Life life = begin(rank, host(rank));
        life.host.ask(opening(life));
        present[rank] = life;
    }

    /** Starts a rank without room for its segment. It must say so and leave nothing behind. */
    private void refuse(int rank) throws Exception {
        String before = disk.files();
        Life life = begin(rank, host(rank));
        try {
            life.host.ask(opening(life));
            find("a rank joins though the disk is full: rank=" + rank);
        } catch (ExecutionException refused) {
            String message = String.valueOf(refused.getMessage());
            if (!message.contains("JoinRefusedException")) {
                find("a full disk is not told as such: " + message);
            }
        }
        if (!life.host.isAlive()) {
            find("a process ends since the disk is full: rank=" + rank);
        } else if (!disk.files().equals(before)) {
            find("a rank that was refused leaves files: before=" + before + " after=" + disk.files());
        }
        lives.remove(life);
        life.host.kill();
    }

    // --- the faults ---

    private void act() throws Exception {
        long now = System.nanoTime();
        acting = now;
        for (Fault fault : script.faults()) {
            due.add(new Due(now + millisToNanos(fault.atMillis()), () -> befall(fault)));
        }
        proceed(now + millisToNanos(script.millis()), true);
    }

    /**
     * Takes the steps that are due and looks after all processes until the given time. If {@code finish} is true, also
     * until no step is due.
     */
    private void proceed(long until, boolean finish) throws Exception {
        long looked = System.nanoTime();
        while (System.nanoTime() < until || finish && !due.isEmpty()) {
            broken = isWhole() ? broken : System.nanoTime();
            Due next = due.peek();
            if (next != null && next.atNanos <= System.nanoTime()) {
                due.remove();
                next.step.take();
            } else {
                TimeUnit.NANOSECONDS.sleep(TICK_NANOS);
            }
            if (System.nanoTime() - looked > LOOK_NANOS) {
                look();
                looked = System.nanoTime();
            }
        }
    }

    private void later(long millis, Step step) {
        due.add(new Due(System.nanoTime() + millisToNanos(millis), step));
    }

    private void befall(Fault fault) throws Exception {
        Life life = present[fault.rank()];
        boolean late = System.nanoTime() - acting > millisToNanos(2 * script.millis()) && !fault.kind().isForGood();
        if (gone.contains(fault.rank()) || late) {
            return;
        }
        if (life == null || life.host.isPaused() || fault.waits() && System.nanoTime() - broken < WHOLE_NANOS
                || fault.kind() != Fault.Kind.KILL && fenced.contains(life.number) // it leaves soon
                || fault.kind().leaves() && living().size() == 1 // the last to leave takes everything with it
                || fault.kind().kills() && keepsEverything(life)) {
            later(AGAIN_MILLIS, () -> befall(fault));
            return;
        }
        log(fault.kind() + " rank " + life.rank + " process " + life.number);
        switch (fault.kind()) {
            case KILL, KILL_FOR_GOOD -> kill(life, fault);
            case LEAVE, LEAVE_FOR_GOOD -> leave(life, fault);
            case FENCE -> {
                fenced.add(life.number);
                left.putIfAbsent(life.number, System.nanoTime());
                expect(life, "withdraw " + life.rank, _ -> {
                    log("withdrew rank " + life.rank);
                    later(fault.millis(), () -> afterWithdrawing(life, fault));
                }, failure -> {
                    if (life.host.isAlive()) {
                        find("a rank does not withdraw: rank=" + life.rank + " process=" + life.number + " failure="
                                + failure.getMessage());
                    }
                });
            }
            case PAUSE -> {
                life.host.pause();
                long[] pause = {System.nanoTime(), Long.MAX_VALUE};
                pauses.add(pause);
                later(fault.millis(), () -> {
                    life.host.resume();
                    log("resumed rank " + life.rank);
                    pause[1] = System.nanoTime();
                });
            }
        }
    }

    /** Returns true if the leaving ranks would be the last ones without this process, and take everything with them. */
    private boolean keepsEverything(Life life) {
        return !leaving.isEmpty() && living().stream().allMatch(other -> other.host == life.host);
    }

    private void kill(Life life, Fault fault) {
        life.host.kill();
        for (int rank = 0; rank < present.length; rank++) {
            Life other = present[rank];
            if (other != null && other.host == life.host) {
                killed.add(other.number);
                present[rank] = null;
                int dead = rank;
                if (fault.kind().isForGood()) {
                    gone.add(rank);
                } else {
                    later(fault.millis(), () -> openAgain(dead, OPENING_MILLIS));
                }
            }
        }
    }

    private void leave(Life life, Fault fault) {
        present[life.rank] = null;
        left.putIfAbsent(life.number, System.nanoTime());
        leaving.add(life);
        if (fault.kind().isForGood()) {
            gone.add(life.rank);
        }
        expect(life, "leave " + life.rank, _ -> afterLeaving(life, fault), failure -> {
            if (life.host.isAlive()) {
                find(notInOrder(life, failure));
            } else {
                // It may have been killed by the fault of another rank of its process.
                killed.add(life.number);
            }
            afterLeaving(life, fault);
        });
    }

    /** The rank leaves, unless it was killed meanwhile. The last rank to leave would take everything with it. */
    private void afterWithdrawing(Life life, Fault fault) {
        if (present[life.rank] != life) {
            return;
        }
        if (life.host.isPaused()) {
            later(AGAIN_MILLIS, () -> afterWithdrawing(life, fault));
        } else if (living().size() == 1) {
            kill(life, fault);
        } else {
            leave(life, fault);
        }
    }

    private boolean isWhole() {
        return IntStream.range(0, present.length)
                .allMatch(rank -> gone.contains(rank) || present[rank] != null && !present[rank].host.isPaused()
                        && !fenced.contains(present[rank].number));
    }

    private void afterLeaving(Life life, Fault fault) throws Exception {
        leaving.remove(life);
        boolean alone = IntStream.range(0, present.length)
                .noneMatch(rank -> present[rank] != null && present[rank].host == life.host);
        log("left rank " + life.rank + " process " + life.number);
        if (alone && !script.together() && life.host.isAlive() && !life.host.end()) {
            find("a process that has left does not end: stacks=" + life.host.dump());
        }
        if (!fault.kind().isForGood()) {
            later(fault.millis(), () -> openAgain(fault.rank(), OPENING_MILLIS));
        }
    }

    private static String notInOrder(Life life, Throwable failure) {
        return "a rank does not leave in order: rank=" + life.rank + " process=" + life.number + " failure="
                + failure.getMessage();
    }

    private interface Handler<T> {
        void take(T told) throws Exception;
    }

    /**
     * Continues with the answer of the process when it comes. Meanwhile the coordinator looks after the other
     * processes.
     */
    private void expect(Life life, String command, Handler<String> done, Handler<Throwable> failed) {
        CompletableFuture<String> answer = life.host.tell(command);
        later(0, () -> poll(life, command, System.nanoTime(), answer, done, failed));
    }

    private void poll(Life life, String command, long since, CompletableFuture<String> answer, Handler<String> done,
            Handler<Throwable> failed) throws Exception {
        switch (answer.state()) {
            case SUCCESS -> done.take(answer.resultNow());
            case FAILED, CANCELLED -> failed.take(answer.exceptionNow());
            case RUNNING -> {
                if (undisturbed(since) > ANSWER_NANOS) {
                    throw new Host.Silent(command, life.host.dump());
                }
                later(POLL_MILLIS, () -> poll(life, command, since, answer, done, failed));
            }
        }
    }

    /**
     * Joins again, with retries for a while. A process that was paused while it looked at the rank's file may keep the
     * rank from joining.
     */
    private void openAgain(int rank, long patienceMillis) throws Exception {
        if (gone.contains(rank) || present[rank] != null) {
            return;
        }
        long began = System.nanoTime();
        Host host = host(rank);
        if (host.isPaused()) {
            later(AGAIN_MILLIS, () -> openAgain(rank, patienceMillis));
            return;
        }
        Life life = begin(rank, host);
        expect(life, opening(life), _ -> {
            if (!host.isAlive()) {
                // The process was killed since, by the fault of another rank in it.
                later(AGAIN_MILLIS, () -> openAgain(rank, patienceMillis));
                return;
            }
            present[rank] = life;
            log("joined rank " + rank + " process " + life.number);
            expect(life, "work " + rank, _ -> joined = System.nanoTime(), failure -> {
                if (host.isAlive()) {
                    find("a rank does not work: " + failure.getMessage());
                }
            });
        }, refused -> {
            lives.remove(life);
            log("refused rank " + rank + ": " + refused.getMessage());
            long left = patienceMillis - AGAIN_MILLIS - undisturbed(began) / 1_000_000;
            if (left > 0) {
                later(AGAIN_MILLIS, () -> openAgain(rank, left));
            } else {
                find("a rank cannot join again: rank=" + rank + " refusal=" + refused.getMessage());
                gone.add(rank);
            }
        });
    }

    // --- late operations ---

    private void look() throws Exception {
        for (Life life : present) {
            if (life == null || life.host.isPaused()) {
                continue;
            }
            if (life.host.hasFallen()) {
                find("a process has ended by itself: rank=" + life.rank + " process=" + life.number);
                present[life.rank] = null;
                gone.add(life.rank);
                continue;
            }
            for (String late : life.host.ask("late " + life.rank).split(";")) {
                if (!late.isEmpty() && undisturbed(awaitedSince(late)) > DEADLINE_NANOS) {
                    hang(life, late);
                }
            }
        }
    }

    /** Returns the time since when nothing but the operation itself has kept it from its end. */
    private long awaitedSince(String late) {
        int space = late.indexOf(' ');
        long since = Long.parseLong(late.substring(0, space));
        Structure structure = Structure.valueOf(late.substring(space + 1, late.indexOf('-', space)));
        return structure.waitsForAll() ? Math.max(since, Math.max(broken, joined)) : since;
    }

    /** Returns the nanoseconds since then in which no process was paused. */
    private long undisturbed(long since) {
        long now = System.nanoTime();
        long elapsed = now - since;
        for (long[] pause : pauses) {
            elapsed -= Math.max(0, Math.min(now, pause[1]) - Math.max(since, pause[0]));
        }
        return elapsed;
    }

    private void hang(Life life, String late) throws InterruptedException {
        if (hanging.add(life.number + " " + late)) {
            long since = Long.parseLong(late.split(" ")[0]);
            find("an operation does not end: rank=" + life.rank + " process=" + life.number + " gone=" + gone
                    + " doing=" + late.substring(late.indexOf(' ') + 1) + " since=" + (since - begin) / 1_000_000
                    + " ms, for " + (System.nanoTime() - since) / 1_000_000 + " ms; stacks=" + life.host.dump());
        }
    }

    // --- the end ---

    private List<Life> living() {
        List<Life> living = new ArrayList<>();
        for (Life life : present) {
            if (life != null) {
                living.add(life);
            }
        }
        return living;
    }

    /** Ends the faults. Everything works again, except what needs a rank that is gone for good. */
    private void calm() throws Exception {
        calm = true;
        for (Life life : living()) {
            life.host.ask("calm " + life.rank);
        }
        proceed(System.nanoTime(), true);
        // The wait begins when the last rank is back. On a slow machine its operations may wait this long for other
        // ranks.
        proceed(System.nanoTime() + millisToNanos(GRACE_MILLIS), true);
        String words = String.join("", gone.stream().map(rank -> " " + rank).toList());
        log("watching");
        for (Life life : living()) {
            life.host.ask("watch " + life.rank + words);
        }
        proceed(System.nanoTime() + millisToNanos(WATCH_MILLIS), false);
        long deadline = System.nanoTime() + millisToNanos(IDLE_MILLIS);
        for (Life life : living()) {
            String verdict = life.host.ask("verdict " + life.rank);
            // Threads that wait in vain give up after a while. Operations that are late on a slow machine are tried
            // again.
            while (verdict.startsWith("failures={}") && !works(verdict) && System.nanoTime() < deadline) {
                proceed(System.nanoTime() + millisToNanos(500), false);
                verdict = life.host.ask("verdict " + life.rank);
            }
            if (!works(verdict)) {
                find("not everything works again: rank=" + life.rank + " process=" + life.number + " gone=" + gone + " "
                        + verdict);
            }
        }
    }

    private boolean works(String verdict) {
        return verdict.startsWith("failures={} late={}") && (!gone.isEmpty() || verdict.endsWith("idle=[]"));
    }

    private void end() throws Exception {
        List<CompletableFuture<String>> answers = new ArrayList<>();
        List<Life> living = living();
        for (Life life : living) {
            answers.add(life.host.tell("rest " + life.rank));
        }
        boolean rested = true;
        for (int index = 0; index < living.size(); index++) {
            for (String running : living.get(index).host.await(answers.get(index), "rest").split(";")) {
                if (!running.isEmpty()) {
                    rested = false;
                    hang(living.get(index), running);
                }
            }
        }
        drained = rested && gone.isEmpty() ? drain() : Set.of();
        if (disk.isSmall()) {
            disk.empty();
        }
        for (Life life : living) {
            leave(life);
        }
        for (Host host : hosts) {
            if (host.isAlive() && !host.end()) {
                find("a process does not end: stacks=" + host.dump());
            }
        }
        String files = disk.files();
        if (!files.equals("[]")) {
            find("files are left when all have left: files=" + files);
        }
        if (port > 0) {
            List<Integer> taken = IntStream.range(port, port + PORTS)
                    .filter(each -> !FreePorts.isFree(each))
                    .boxed()
                    .toList();
            if (!taken.isEmpty()) {
                find("ports are left when all have left: ports=" + taken);
            }
        }
    }

    private void leave(Life life) throws Host.Silent, InterruptedException {
        try {
            life.host.ask("leave " + life.rank);
        } catch (ExecutionException failure) {
            find(notInOrder(life, failure));
        }
    }

    private Set<Structure> drain() throws Exception {
        Set<Structure> all = EnumSet.noneOf(Structure.class);
        Life life = living().getFirst();
        for (Structure structure : List.of(Structure.CIRCULAR_QUEUE, Structure.LONG_QUEUE, Structure.LINKED_QUEUE,
                Structure.STACK)) {
            try {
                life.host.ask("drain " + life.rank + " " + structure);
                all.add(structure);
            } catch (ExecutionException failure) {
                find(structure + " cannot be emptied though all are there: " + failure.getMessage());
            }
        }
        return all;
    }

    private void judge() throws IOException {
        List<Entry> entries = new ArrayList<>();
        for (Life life : lives) {
            if (Files.exists(life.history)) {
                entries.addAll(Recorder.read(life.history, life.number));
            }
        }
        operations = entries.size();
        long[] count = new long[1];
        findings.addAll(Checks.of(new Run(entries, killed, Set.of(), left, drained, script.errors(), begin), count));
        undecided = count[0];
        rounds = entries.stream().filter(entry -> entry.verb() == Verb.CLEAN).map(Entry::key).distinct().count();
        if (!drained.isEmpty() && rounds == 0) {
            find("no round of all ranks has ended well");
        }
        TreeMap<String, Integer> told = new TreeMap<>();
        hosts.forEach(host -> host.findings().forEach(line -> told.merge(line, 1, Integer::sum)));
        told.forEach((what, times) -> find(what + (times > 1 ? " (" + times + " times)" : "")));
        for (Host host : hosts) {
            host.writeLog();
        }
    }

    /** Ends the processes and removes their files, whatever happened. */
    @Override
    public void close() throws IOException {
        hosts.forEach(Host::kill);
        disk.close();
    }
}
