package io.atoll.collective.exchange;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Those that this process has opened: of each name one, since it counts its barriers. */
public final class Exchanges {

    private final Map<String, Exchange.Part> parts = new ConcurrentHashMap<>();

    Exchange.Part part(String name, Supplier<Exchange.Part> opening) {
        return parts.computeIfAbsent(name, _ -> opening.get());
    }
}
