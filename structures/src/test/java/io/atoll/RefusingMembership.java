package io.atoll;

import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.world.Member;
import io.atoll.world.Membership;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Sees no members, and refuses its process when the test says so. */
final class RefusingMembership implements Membership {

    static final JoinRefusedException TAKEN = new JoinRefusedException(Reason.RANK_TAKEN,
            "a process that joined earlier is this rank, choose another: rank=0");

    private volatile @Nullable JoinRefusedException refusal;
    private volatile Runnable changed = () -> {};

    void refuse() {
        refusal = TAKEN;
        changed.run();
    }

    @Override
    public void join(Member self, Runnable onChange) {
        changed = onChange;
    }

    @Override
    public List<Member> members() {
        return List.of();
    }

    @Override
    public Optional<JoinRefusedException> refusal() {
        return Optional.ofNullable(refusal);
    }

    @Override
    public void close() {
        // There is nothing to close.
    }
}
