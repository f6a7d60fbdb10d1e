package io.atoll.fabric.link;

import io.atoll.fabric.link.Meeting.NotMetException;
import io.atoll.failure.FabricException;
import io.atoll.failure.LayoutMismatchException;
import io.atoll.failure.RankUnreachableException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Tries the addresses of a rank's name one after another, since some may be dead or lead to another host. The greeting
 * decides which one leads to the rank. An address that has done so is the first of the next time. After one that used
 * up the time, the next time begins with the next address. Names are resolved each time: a host may have moved.
 */
public final class AddressesInTurn {

    private final NameService names;
    private final AtomicReferenceArray<@Nullable InetAddress> first; // to be tried, by rank

    /**
     * An attempt at one address.
     *
     * @param <T> what it leads to
     */
    @FunctionalInterface
    public interface Attempt<T> {

        /**
         * @param address resolved
         * @throws NotMetException when it is to be made again
         * @throws IOException when nobody answers there as a rank does
         * @throws RankUnreachableException when the rank is not there, or refuses
         * @throws LayoutMismatchException when what is there is not of this world
         */
        T connect(InetSocketAddress address) throws IOException;
    }

    /** @param size how many ranks the world has */
    public AddressesInTurn(int size) {
        this(size, NameService.SYSTEM);
    }

    AddressesInTurn(int size, NameService names) {
        this.names = names;
        this.first = new AtomicReferenceArray<>(size);
    }

    /**
     * Returns what the first attempt leads to that succeeds.
     *
     * @param patience bounds all attempts together
     * @throws RankUnreachableException when there is no such host, or the rank is at none of its addresses; by a
     * {@link SocketTimeoutException} where one of them does not answer in time
     * @throws LayoutMismatchException when what is at each address is not of this world
     */
    public <T> T connect(Target target, Patience patience, String verb, long offset, Attempt<T> attempt)
            throws NotMetException {
        int rank = target.rank();
        List<InetAddress> addresses = resolve(target, verb, offset);
        int begin = Math.max(0, addresses.indexOf(first.get(rank)));
        List<FabricException> failures = new ArrayList<>();
        do {
            InetSocketAddress address = new InetSocketAddress(
                    addresses.get((begin + failures.size()) % addresses.size()), target.address().getPort());
            first.set(rank, address.getAddress());
            try {
                return attempt.connect(address);
            } catch (NotMetException early) {
                throw early;
            } catch (IOException failure) {
                failures.add(unreachable(target, address, failure, verb, offset));
            } catch (RankUnreachableException | LayoutMismatchException failure) {
                failures.add(failure);
            }
            first.set(rank, addresses.get((begin + failures.size()) % addresses.size()));
        } while (failures.size() < addresses.size() && patience.leftNanos() > 0);
        throw all(failures, verb, rank, offset);
    }

    private static RankUnreachableException unreachable(Target target, InetSocketAddress address, IOException cause,
            String verb, long offset) {
        RankUnreachableException unreachable = new RankUnreachableException(
                "cannot connect, see whether the rank runs and can be reached",
                "cause=[" + cause.getMessage() + "] address=" + target.describe(address), verb, target.rank(), offset);
        unreachable.initCause(cause);
        return unreachable;
    }

    private List<InetAddress> resolve(Target target, String verb, long offset) {
        String name = target.address().getHostString();
        try {
            return names.addresses(name).stream().distinct().toList();
        } catch (UnknownHostException unknown) {
            throw new RankUnreachableException("there is no such host, correct the address of the rank",
                    "host=" + name, verb, target.rank(), offset);
        }
    }

    /** A mismatch is for good, but where an address did not answer the rank may be behind that. */
    private static FabricException all(List<FabricException> failures, String verb, int rank, long offset) {
        boolean isForGood = failures.stream().allMatch(LayoutMismatchException.class::isInstance);
        if (failures.size() == 1 || isForGood) {
            return failures.getFirst();
        }
        RankUnreachableException unreachable = RankUnreachableException.ofAll(failures, verb, rank, offset);
        failures.stream()
                .map(Throwable::getCause)
                .filter(SocketTimeoutException.class::isInstance)
                .findFirst()
                .ifPresent(unreachable::initCause);
        return unreachable;
    }
}
