package io.atoll.world.hazelcast;

import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.world.Member;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A cluster as the process that is {@code self} sees it: its members in the order in which they joined, which is the
 * same at all of them. The order decides every dispute. The first member says which world this is. If several members
 * claim a rank, the first of them has it.
 *
 * @param entries never empty: self is among them
 */
record Roster(MemberClaim self, List<Entry> entries) {

    /**
     * @param memberClaim null if the member is no process of Atoll
     * @param address for messages
     */
    record Entry(@Nullable MemberClaim memberClaim, String address) {}

    /**
     * Returns the ranks that are there. A member that is being refused may be among the entries for a moment, but never
     * here.
     */
    List<Member> members() {
        Set<Integer> ranks = new HashSet<>();
        return ofThisWorld().map(MemberClaim::member).filter(member -> ranks.add(member.rank())).toList();
    }

    private Stream<MemberClaim> ofThisWorld() {
        return entries.stream().map(Entry::memberClaim).flatMap(Stream::ofNullable).filter(this::isOfThisWorld);
    }

    private boolean isOfThisWorld(MemberClaim memberClaim) {
        Member mine = self.member();
        return memberClaim.member().world().equals(mine.world())
                && memberClaim.member().layoutVersion() == mine.layoutVersion();
    }

    /** Returns why self may not take part, if it may not. */
    Optional<JoinRefusedException> refusal() {
        Entry first = entries.getFirst();
        MemberClaim founder = first.memberClaim();
        if (founder == null) {
            return Optional.of(new JoinRefusedException(Reason.OTHER_WORLD,
                    "a Hazelcast member that is no process of Atoll was found, choose another port or address: world="
                            + self.member().world().name() + " foundMember=" + first.address()));
        }
        return isOfThisWorld(founder) ? rankTaken() : Optional.of(notOfOneWorld(founder.member(), first.address()));
    }

    private JoinRefusedException notOfOneWorld(Member founder, String address) {
        Member mine = self.member();
        if (!founder.world().name().equals(mine.world().name())) {
            return new JoinRefusedException(Reason.OTHER_WORLD,
                    "another world was found, choose another port or address:"
                            + " world=" + mine.world().name() + " foundWorld=" + founder.world().name()
                            + " foundMember=" + address);
        }
        if (founder.world().size() != mine.world().size()) {
            return new JoinRefusedException(Reason.OTHER_SIZE, "all processes of a world must be told the same size:"
                    + " size=" + mine.world().size() + " foundSize=" + founder.world().size() + " foundMember="
                    + address);
        }
        return new JoinRefusedException(Reason.OTHER_LAYOUT_VERSION, "all processes of a world must lay out their"
                + " segments alike, run one version: layoutVersion=" + mine.layoutVersion() + " foundLayoutVersion="
                + founder.layoutVersion() + " foundMember=" + address);
    }

    private Optional<JoinRefusedException> rankTaken() {
        MemberClaim holder = holder();
        return !isHeldByAnother()
                ? Optional.empty()
                : Optional.of(new JoinRefusedException(Reason.RANK_TAKEN, "a process that joined earlier is this rank,"
                        + " choose another: rank=" + self.member().rank() + " incarnation="
                        + self.member().incarnation()
                        + " foundIncarnation=" + holder.member().incarnation()));
    }

    /**
     * Returns true if another process has self's rank. It may be an earlier life of self, which has ended and is still
     * on the list. The numbers do not tell: a process that has lost its memory begins at or below the number of its
     * earlier life.
     */
    boolean isHeldByAnother() {
        return !holder().process().equals(self.process());
    }

    private MemberClaim holder() {
        return ofThisWorld().filter(memberClaim -> memberClaim.member().rank() == self.member().rank())
                .findFirst()
                .orElseThrow();
    }
}
