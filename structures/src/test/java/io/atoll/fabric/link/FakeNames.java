package io.atoll.fabric.link;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A name service with answers chosen by a test. */
public final class FakeNames implements NameService {

    private final Map<String, List<InetAddress>> addresses = new ConcurrentHashMap<>();

    /** Resolves the name to these addresses from now on. */
    public FakeNames say(String name, String... literals) {
        addresses.put(name, Arrays.stream(literals).map(InetAddress::ofLiteral).toList());
        return this;
    }

    /** Returns the addresses in turn, as a connector uses them for the ranks of a world. */
    public AddressesInTurn inTurn(int size) {
        return new AddressesInTurn(size, this);
    }

    @Override
    public List<InetAddress> addresses(String name) throws UnknownHostException {
        List<InetAddress> known = addresses.get(name);
        if (known == null) {
            throw new UnknownHostException(name);
        }
        return known;
    }
}
