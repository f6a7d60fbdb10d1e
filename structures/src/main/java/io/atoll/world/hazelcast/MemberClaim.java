package io.atoll.world.hazelcast;

import io.atoll.memory.WorldIdentity;
import io.atoll.world.Member;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a process says of itself in the attributes of its Hazelcast member. The attributes reach the others together
 * with the member, and cannot change.
 *
 * @param process tells this process from any other that says the same; it stays when the process leaves and joins again
 */
record MemberClaim(Member member, String process) {

    private static final String WORLD = "atoll.world";
    private static final String SIZE = "atoll.size";
    private static final String LAYOUT_VERSION = "atoll.layout-version";
    private static final String RANK = "atoll.rank";
    private static final String INCARNATION = "atoll.incarnation";
    private static final String PROCESS = "atoll.process";
    private static final String ADDRESS_PREFIX = "atoll.address.";

    /** Returns a name for Hazelcast's logs and threads. It differs between any two memberships of one JVM. */
    String instanceName() {
        return "atoll-" + member.world().name() + "-" + member.rank() + "-" + process;
    }

    Map<String, String> attributes() {
        Map<String, String> attributes = new HashMap<>();
        attributes.put(WORLD, member.world().name());
        attributes.put(SIZE, Integer.toString(member.world().size()));
        attributes.put(LAYOUT_VERSION, Long.toString(member.layoutVersion()));
        attributes.put(RANK, Integer.toString(member.rank()));
        attributes.put(INCARNATION, Integer.toString(member.incarnation()));
        attributes.put(PROCESS, process);
        member.address().forEach((key, value) -> attributes.put(ADDRESS_PREFIX + key, value));
        return attributes;
    }

    /** Returns empty if the attributes are not those of a process of Atoll. */
    static Optional<MemberClaim> read(Map<String, String> attributes) {
        if (!attributes.keySet()
                .containsAll(
                        List.of(WORLD, SIZE, LAYOUT_VERSION, RANK, INCARNATION, PROCESS))) {
            return Optional.empty();
        }
        try {
            WorldIdentity world = new WorldIdentity(attributes.get(WORLD), Integer.parseInt(attributes.get(SIZE)));
            int rank = Integer.parseInt(attributes.get(RANK));
            world.checkRank(rank);
            Member member = new Member(world, Long.parseLong(attributes.get(LAYOUT_VERSION)), rank,
                    Integer.parseInt(attributes.get(INCARNATION)), address(attributes));
            return Optional.of(new MemberClaim(member, attributes.get(PROCESS)));
        } catch (IllegalArgumentException malformed) {
            return Optional.empty();
        }
    }

    private static Map<String, String> address(Map<String, String> attributes) {
        Map<String, String> address = new HashMap<>();
        attributes.forEach((key, value) -> {
            if (key.startsWith(ADDRESS_PREFIX)) {
                address.put(key.substring(ADDRESS_PREFIX.length()), value);
            }
        });
        return address;
    }
}
