package io.atoll.fabric.trace;

import io.atoll.background.BackgroundThread;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Connections;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.LateVerbs;
import io.atoll.failure.JoinRefusedException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A place on a fabric with slower verbs. Finding, joining and fencing are not delayed. */
final class DelayedAttachment implements Attachment {

    private final Attachment wrapped;
    private final Delay delay;
    private volatile DelayedFabric fabric;

    DelayedAttachment(Attachment wrapped, Delay delay) {
        this.wrapped = wrapped;
        this.delay = delay;
        this.fabric = new DelayedFabric(wrapped.fabric(), delay);
    }

    @Override
    public Fabric fabric() {
        return fabric;
    }

    @Override
    public boolean needsViews() {
        return wrapped.needsViews();
    }

    @Override
    public boolean sharesMemoryWith(int rank) {
        return wrapped.sharesMemoryWith(rank);
    }

    @Override
    public Duration unheard(int rank) {
        return wrapped.unheard(rank);
    }

    @Override
    public boolean isShutOut() {
        return wrapped.isShutOut();
    }

    @Override
    public boolean learnFormerLives(Map<Integer, Map<String, String>> addresses) {
        boolean areOthers = wrapped.learnFormerLives(addresses);
        fabric = new DelayedFabric(wrapped.fabric(), delay);
        return areOthers;
    }

    @Override
    public int laterLife() {
        return wrapped.laterLife();
    }

    @Override
    public void makeAnew(int above) {
        wrapped.makeAnew(above);
        fabric = new DelayedFabric(wrapped.fabric(), delay);
    }

    @Override
    public int incarnation() {
        return wrapped.incarnation();
    }

    @Override
    public Map<String, String> address() {
        return wrapped.address();
    }

    @Override
    public Presence presence(int rank) {
        return wrapped.presence(rank);
    }

    @Override
    public Proof proof(int rank, int incarnation, Map<String, String> address) {
        return wrapped.proof(rank, incarnation, address);
    }

    @Override
    public void connect(int rank, int incarnation, Map<String, String> address) {
        wrapped.connect(rank, incarnation, address);
    }

    @Override
    public void renew(int rank, int born) {
        wrapped.renew(rank, born);
        fabric = new DelayedFabric(wrapped.fabric(), delay);
    }

    @Override
    public void fence(int rank) {
        wrapped.fence(rank);
    }

    @Override
    public boolean isFenced(int rank, int incarnation, int segment) {
        return wrapped.isFenced(rank, incarnation, segment);
    }

    @Override
    public Optional<Connections> connections() {
        return wrapped.connections();
    }

    @Override
    public Optional<LateVerbs> lateVerbs() {
        return wrapped.lateVerbs();
    }

    @Override
    public void whenToLook(Runnable listener) {
        wrapped.whenToLook(listener);
    }

    @Override
    public boolean readLeft(int rank, long offset, MemorySegment into) {
        return wrapped.readLeft(rank, offset, into);
    }

    @Override
    public List<BackgroundThread> background() {
        return wrapped.background();
    }

    @Override
    public void withdraw(JoinRefusedException reason) {
        wrapped.withdraw(reason);
    }

    @Override
    public void release() {
        wrapped.release();
    }

    @Override
    public void close() {
        wrapped.close();
    }
}
