package io.atoll.chaos;

import io.atoll.background.BackgroundThread;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.world.Member;
import io.atoll.world.Membership;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Passes on another membership until the test withdraws the process. */
final class RevocableMembership implements Membership {

    private final Membership actual;
    private volatile Runnable changed = () -> {};
    private volatile @Nullable JoinRefusedException refusal;

    RevocableMembership(Membership actual) {
        this.actual = actual;
    }

    /** Withdraws the process. It leaves the other members and must not take part any more. */
    void revoke() {
        actual.close();
        refusal = new JoinRefusedException(Reason.RANK_TAKEN, "the membership was revoked");
        changed.run();
    }

    @Override
    public void join(Member self, Runnable onChange) throws InterruptedException {
        changed = onChange;
        actual.join(self, onChange);
    }

    @Override
    public void joinAgain(Member self) {
        actual.joinAgain(self);
    }

    @Override
    public List<Member> members() {
        return refusal == null ? actual.members() : List.of();
    }

    @Override
    public Optional<JoinRefusedException> refusal() {
        JoinRefusedException revoked = refusal;
        return revoked == null ? actual.refusal() : Optional.of(revoked);
    }

    @Override
    public List<BackgroundThread> background() {
        return actual.background();
    }

    @Override
    public void close() {
        if (refusal == null) {
            actual.close();
        }
    }
}
