package io.atoll.fabric.link;

import io.atoll.fabric.link.ConnectRetry.NotMetException;
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
 * Tries the addresses of a rank's name one after another. Some may be dead or lead to another host; the handshake
 * decides which one leads to the rank.
 *
 * <p>The next call begins with the address that led to the rank. If an address used up the time, the next call begins
 * with the one after it. Each call resolves the name again, because a host may have moved.
 */
public final class AddressesInTurn {

    private final NameService names;
    private final AtomicReferenceArray<@Nullable InetAddress> first; // the address to try first, by rank

    /**
     * An attempt at one address.
     *
     * @param <T> the result of the attempt
     */
    @FunctionalInterface
    public interface Attempt<T> {

        /**
         * @param address resolved
         * @throws NotMetException if the caller should repeat the attempt
         * @throws IOException if no process answers there as a rank does
         * @throws RankUnreachableException if the rank is not there, or refuses
         * @throws LayoutMismatchException if the process there is not of this world
         */
        T connect(InetSocketAddress address) throws IOException;
    }

    /** @param size the number of ranks in the world */
    public AddressesInTurn(int size) {
        this(size, NameService.SYSTEM);
    }

    AddressesInTurn(int size, NameService names) {
        this.names = names;
        this.first = new AtomicReferenceArray<>(size);
    }

    /**
     * Returns the result of the first attempt that succeeds.
     *
     * @param connectDeadline bounds all attempts together
     * @throws RankUnreachableException if there is no such host, or the rank is at none of its addresses. Its cause is
     * a {@link SocketTimeoutException} if an address did not answer in time
     * @throws LayoutMismatchException if each address leads to a process that is not of this world
     */
    public <T> T connect(PeerAddress peerAddress, ConnectDeadline connectDeadline, String verb, long offset,
            Attempt<T> attempt)
            throws NotMetException {
        int rank = peerAddress.rank();
        List<InetAddress> addresses = resolve(peerAddress, verb, offset);
        int begin = Math.max(0, addresses.indexOf(first.get(rank)));
        List<FabricException> failures = new ArrayList<>();
        do {
            InetSocketAddress address = new InetSocketAddress(
                    addresses.get((begin + failures.size()) % addresses.size()), peerAddress.address().getPort());
            first.set(rank, address.getAddress());
            try {
                return attempt.connect(address);
            } catch (NotMetException early) {
                throw early;
            } catch (IOException failure) {
                failures.add(unreachable(peerAddress, address, failure, verb, offset));
            } catch (RankUnreachableException | LayoutMismatchException failure) {
                failures.add(failure);
            }
            first.set(rank, addresses.get((begin + failures.size()) % addresses.size()));
        } while (failures.size() < addresses.size() && connectDeadline.leftNanos() > 0);
        throw all(failures, verb, rank, offset);
    }

    private static RankUnreachableException unreachable(PeerAddress peerAddress, InetSocketAddress address,
            IOException cause,
            String verb, long offset) {
        RankUnreachableException unreachable = new RankUnreachableException(
                "cannot connect, see whether the rank runs and can be reached",
                "cause=[" + cause.getMessage() + "] address=" + peerAddress.describe(address), verb, peerAddress.rank(),
                offset);
        unreachable.initCause(cause);
        return unreachable;
    }

    private List<InetAddress> resolve(PeerAddress peerAddress, String verb, long offset) {
        String name = peerAddress.address().getHostString();
        try {
            return names.addresses(name).stream().distinct().toList();
        } catch (UnknownHostException unknown) {
            throw new RankUnreachableException("there is no such host, correct the address of the rank",
                    "host=" + name, verb, peerAddress.rank(), offset);
        }
    }

    /**
     * Combines the failures. A mismatch is final only if all addresses have one: the rank may be at an address that did
     * not answer.
     */
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
