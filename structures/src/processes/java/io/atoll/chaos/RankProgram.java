package io.atoll.chaos;

import io.atoll.process.Program;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;

/**
 * The process of one rank or of several. Each rank has a class loader of its own, like several applications of one
 * server. A command begins with the rank that it is for.
 */
final class RankProgram implements Program {

    private final Map<String, BiFunction<String, List<String>, String>> ranks = new TreeMap<>();

    @Override
    public String obey(String command, List<String> arguments) throws Exception {
        String rank = arguments.getFirst();
        List<String> more = arguments.subList(1, arguments.size());
        return switch (command) {
            case "load" -> {
                ranks.put(rank, load());
                yield "loaded";
            }
            default -> ranks.computeIfAbsent(rank, _ -> new Rank()).apply(command, more);
        };
    }

    // Rank is declared so.
    @SuppressWarnings("unchecked")
    private static BiFunction<String, List<String>, String> load() throws Exception {
        String[] places = System.getProperty("java.class.path").split(File.pathSeparator);
        URL[] urls = new URL[places.length];
        for (int index = 0; index < places.length; index++) {
            urls[index] = url(places[index]);
        }
        // The loader is never closed. It lives as long as its process.
        @SuppressWarnings("resource")
        var loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
        return (BiFunction<String, List<String>, String>) loader.loadClass(Rank.class.getName())
                .getConstructor()
                .newInstance();
    }

    private static URL url(String place) throws MalformedURLException {
        return Path.of(place).toUri().toURL();
    }

    /** The coordinator has ended, or ends this process in order, as a JVM ends when it is told to. */
    @Override
    public void close() {
        ranks.values().forEach(rank -> rank.apply("leave", List.of()));
    }
}
