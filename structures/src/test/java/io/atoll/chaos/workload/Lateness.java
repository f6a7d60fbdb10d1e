package io.atoll.chaos.workload;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * What was late, and has not worked since. A machine that has too much to do is late, but not for ever. So what was
 * late once is tried again, and is a finding only if it never works.
 */
final class Lateness {

    /** What an operation uses: a key of a structure, or all of it. */
    record Subject(String workload, long key) {}

    private final Map<Subject, String> failures = new HashMap<>(); // guarded by this

    /** @param subjects one of which does not work */
    synchronized void add(List<Subject> subjects, Throwable failure) {
        subjects.forEach(subject -> failures.put(subject, failure.toString()));
    }

    synchronized void works(Subject subject) {
        failures.remove(subject);
    }

    /** A key of that workload that should be tried again. */
    synchronized OptionalLong any(String workload) {
        return failures.keySet()
                .stream()
                .filter(subject -> subject.workload.equals(workload))
                .mapToLong(Subject::key)
                .findAny();
    }

    /** The failure of each. */
    synchronized Map<String, String> texts() {
        Map<String, String> texts = new TreeMap<>();
        failures.forEach((subject, failure) -> texts.put(subject.workload + " key=" + subject.key, failure));
        return texts;
    }
}
