package io.atoll;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.Attachment.Presence;
import io.atoll.fabric.Attachment.State;
import io.atoll.fabric.FabricType;
import io.atoll.memory.WorldIdentity;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.OptionalInt;
import java.util.Set;

/**
 * A fabric that reports the given ranks as silent, whatever it knows of them. A rank hears itself.
 *
 * @param silent the ranks that are silent at the moment
 */
record Muffled(FabricType segments, Set<Integer> silent) implements FabricType {

    @Override
    public String name() {
        return segments.name();
    }

    @Override
    public Attachment attach(WorldIdentity world, OptionalInt rank, long segmentBytes) {
        Attachment attached = segments.attach(world, rank, segmentBytes);
        return (Attachment) Proxy.newProxyInstance(Attachment.class.getClassLoader(), new Class<?>[]{Attachment.class},
                (_, method, arguments) -> {
                    try {
                        Object answer = method.invoke(attached, arguments);
                        return answer instanceof Presence known ? heard((int) arguments[0], known, rank) : answer;
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    private Presence heard(int other, Presence known, OptionalInt own) {
        return silent.contains(other) && other != own.orElse(-1)
                ? new Presence(State.SILENT, known.incarnation())
                : known;
    }
}
