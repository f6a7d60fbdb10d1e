package io.atoll;

import io.atoll.world.Member;
import io.atoll.world.Membership;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Members as a test lets them in. Their memberships believe every claim. */
final class OpenRoster {

    // The earliest first.
    private final List<Member> members = new CopyOnWriteArrayList<>();
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final AtomicInteger looks = new AtomicInteger();

    List<Member> members() {
        return List.copyOf(members);
    }

    /** Returns how often a membership has looked at the members. */
    int looks() {
        return looks.get();
    }

    void enter(Member member) {
        members.add(member);
        changed();
    }

    /** Enters the member as if it had been there before all others. */
    void enterFirst(Member member) {
        members.addFirst(member);
        changed();
    }

    private void changed() {
        listeners.forEach(Runnable::run);
    }

    Membership membership() {
        return membership(false);
    }

    Membership membership(boolean reachesOtherHosts) {
        return new Membership() {

            private final List<Member> own = new ArrayList<>();

            @Override
            public void join(Member self, Runnable onChange) {
                own.add(self);
                listeners.add(onChange);
                enter(self);
            }

            @Override
            public void joinAgain(Member self) {
                members.removeAll(own);
                own.add(self);
                enter(self);
            }

            @Override
            public boolean reachesOtherHosts() {
                return reachesOtherHosts;
            }

            @Override
            public List<Member> members() {
                looks.incrementAndGet();
                return OpenRoster.this.members();
            }

            @Override
            public void close() {
                members.removeAll(own);
                changed();
            }
        };
    }
}
