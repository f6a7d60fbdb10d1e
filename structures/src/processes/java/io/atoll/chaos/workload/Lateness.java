package io.atoll.chaos.workload;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The operations that were late and have not worked since. An overloaded machine is late, but not for ever. So a late
 * operation is tried again, and is a finding only if it never works.
 */
final class Lateness {

    /** The subject of an operation: a key of a structure, or all of it. */
    record Subject(String workload, long key) {}

    private final Map<Subject, String> failures = new HashMap<>(); // guarded by this

    /** @param subjects one of them does not work */
    synchronized void add(List<Subject> subjects, Throwable failure) {
        subjects.forEach(subject -> failures.put(subject, failure.toString()));
    }

    synchronized void works(Subject subject) {
        failures.remove(subject);
    }

    /** Returns a key of that workload that should be tried again. */
    synchronized OptionalLong any(String workload) {
        return failures.keySet()
                .stream()
                .filter(subject -> subject.workload.equals(workload))
                .mapToLong(Subject::key)
                .findAny();
    }

    /** Returns the failure of each subject. */
    synchronized Map<String, String> texts() {
        Map<String, String> texts = new TreeMap<>();
        failures.forEach((subject, failure) -> texts.put(subject.workload + " key=" + subject.key, failure));
        return texts;
    }
}
