package io.atoll;

import io.atoll.background.BackgroundThread;
import io.atoll.background.BackgroundThreads;
import io.atoll.fabric.Attachment;
import io.atoll.view.View;
import io.atoll.view.Views;
import io.atoll.world.Member;
import io.atoll.world.Membership;
import io.atoll.world.Participant;
import io.atoll.world.Peers;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One incarnation of this process's rank: from the moment it joins its world until it leaves, or must not take part any
 * more. The parts of a life are of no use afterwards.
 */
final class Life implements AutoCloseable {

    private final LifeSettings settings;
    private final Attachment attachment;
    private final Membership membership;
    private final Optional<Views> views;
    private final Peers peers;
    // The first participant: when ranks lose their segments, it leads to later ones.
    private final Participant participant;
    private final AtomicBoolean ended = new AtomicBoolean();

    /**
     * Makes the process known to the others, under an incarnation above all those that they have met of this rank.
     *
     * @param former the life before, null for the first
     */
    static Life introduce(LifeSettings settings, Attachment attachment, Membership membership,
            BackgroundThreads background, @Nullable Life former) throws InterruptedException {
        AtomicReference<Runnable> changed = new AtomicReference<>(() -> {});
        attachment.learnFormerLives(Map.of());
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted while other ranks were asked");
        }
        membership.join(self(settings, attachment), () -> changed.get().run());
        Map<Integer, Map<String, String>> others = membership.members()
                .stream()
                .collect(Collectors.toMap(Member::rank, Member::address, (first, _) -> first));
        if (!others.isEmpty() && attachment.learnFormerLives(others)) {
            membership.joinAgain(self(settings, attachment));
        }
        Life life = new Life(settings, attachment, membership, background, former);
        changed.set(life.peers::lookSoon);
        return life;
    }

    private static Member self(LifeSettings settings, Attachment attachment) {
        return new Member(settings.world(), attachment.fabric().rank(), attachment.incarnation(),
                attachment.address());
    }

    private Life(LifeSettings settings, Attachment attachment, Membership membership, BackgroundThreads background,
            @Nullable Life former) {
        this.settings = settings;
        this.attachment = attachment;
        this.membership = membership;
        background.addAll(attachment.background());
        background.addAll(membership.background());
        this.views = attachment.needsViews()
                ? Optional.of(Views.of(settings.world(), attachment::fabric, attachment.incarnation(), background))
                : Optional.empty();
        this.peers = new Peers(settings.world(), attachment, membership, views.orElse(null), background,
                former == null ? null : former.peers);
        this.participant = new Participant(settings.endpoints().apply(attachment.fabric()),
                settings.world().maxSize(), attachment.incarnation(), peers, settings.operationTimeout(),
                peers::incarnations, settings.stepObserver(), background, settings.structureListener(),
                Optional.of(settings.keySeeds()), settings.operations());
    }

    /**
     * Begins to look for the others, after repairing what this rank had left in its segment before. Does not wait for
     * the others.
     *
     * @param refused is called once {@link Peers#refusal} says that this life is over; must neither wait nor throw
     * @param viewed is called after another view was installed; must neither wait nor throw
     */
    void enter(Runnable refused, Runnable viewed) {
        participant.recover(participant.rank());
        attachment.whenToLook(peers::lookSoon);
        peers.start(participant, settings.endpoints(), refused);
        views.ifPresent(each -> each.start(() -> {
            peers.lookSoon();
            viewed.run();
        }));
    }

    int incarnation() {
        return attachment.incarnation();
    }

    Attachment attachment() {
        return attachment;
    }

    Optional<Views> views() {
        return views;
    }

    Peers peers() {
        return peers;
    }

    /** Returns this process's part in the world, with the ranks as they are now. */
    Participant participant() {
        return participant.latest();
    }

    /** Returns true if this life is a member of the view. */
    boolean isMember() {
        View view = views.map(Views::status).map(Views.Status::view).orElse(null);
        return view != null && view.isMember(participant.rank(), incarnation());
    }

    /** Returns the electors that did not answer when a view was last to be decided. */
    List<Integer> missingElectors() {
        return views.map(Views::status).map(Views.Status::missing).orElse(List.of());
    }

    /** Returns the members of the view whose segments cannot be used yet. */
    List<Integer> missingMembers() {
        List<Integer> missing = peers.missing();
        return views.map(Views::status)
                .map(Views.Status::view)
                .map(view -> view.members().stream().filter(missing::contains).toList())
                .orElse(missing);
    }

    /** Forgets what handles have opened by this life: their next use opens it by the life that is present then. */
    void forgetOpened() {
        participant.end();
    }

    /**
     * Gives back everything except the rank's segment, which the next life takes again. Does nothing the second time.
     */
    void release() {
        end(attachment::release);
    }

    @Override
    public void close() {
        try (attachment) {
            end(() -> {});
        }
    }

    private void end(Runnable leaving) {
        if (ended.compareAndSet(false, true)) {
            // The watch of peers ends first: when the others then shut this rank out, that is no trouble.
            BackgroundThread.all(participant()::leave, peers::close, () -> views.ifPresent(Views::leave),
                    membership::close, () -> views.ifPresent(Views::close), leaving);
        }
    }
}
