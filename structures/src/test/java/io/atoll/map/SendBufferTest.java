package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.codec.VariableCodec;
import io.atoll.codec.VariableCodecs;
import io.atoll.world.OnLoss;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SendBufferTest {

    private static final Codec<Long> LONGS = Codecs.forType(Long.class);
    private static final int MESSAGES = 4;
    private static final int MESSAGE_SIZE = 3;

    private final CostWorld world = new CostWorld(CostWorld.LINES);
    private final Entries<Long, Long> entries = entries(new InlineForm<>("map", LONGS, LONGS));
    private final SendBuffer<Long, Long> buffer = buffer(entries);

    private <K, V> Entries<K, V> entries(Form<K, V> form) {
        return form.entries(world.participant(), new Capacity(CostWorld.CAPACITY, true)
                .open("map", world.participant(), world.epochs(), false, "test", form.bucket().size, OnLoss.FAIL),
                null, null);
    }

    private static <K, V> SendBuffer<K, V> buffer(Entries<K, V> entries) {
        return new SendBuffer<>(entries, MESSAGES, MESSAGE_SIZE, Message.bytes(MESSAGE_SIZE, entries.bytesInMessage()));
    }

    private boolean take(long key) {
        return buffer.append(key, -key) || buffer.appendBehind(key, -key);
    }

    private List<Long> keys(Message message) {
        List<Long> keys = new ArrayList<>();
        message.showAll((words, position) -> entries.decode(words, position, (key, value) -> keys.add(key)));
        return keys;
    }

    private List<Long> sent() {
        List<Long> sent = new ArrayList<>();
        buffer.send(message -> sent.addAll(keys(message)));
        return sent;
    }

    @Test
    void asManyMessagesAsTheQueueHasRoomForAreStagedAndNoEntryMore() {
        long room = MESSAGES * MESSAGE_SIZE;
        assertThat(LongStream.range(0, room)).allMatch(this::take);
        assertThat(take(room)).isFalse();
        assertThat(buffer.count()).isEqualTo(room);
        assertThat(sent()).containsExactlyElementsOf(LongStream.range(0, room).boxed().toList());
        assertThat(buffer.count()).isZero();
    }

    @Test
    void whatCouldNotBeSentIsStagedStill() {
        LongStream.range(0, 8).forEach(this::take);
        List<Long> sent = new ArrayList<>();
        var attempts = new AtomicInteger();
        for (int failures = 0; failures < 3; failures++) {
            assertThatThrownBy(() -> buffer.send(message -> {
                if (attempts.getAndIncrement() % 2 == 0) {
                    throw new IllegalStateException("gone");
                }
                sent.addAll(keys(message));
            })).hasMessage("gone");
            assertThat(sent.size() + buffer.count()).isEqualTo(8);
        }
        sent.addAll(sent());
        assertThat(sent).containsExactlyElementsOf(LongStream.range(0, 8).boxed().toList());
    }

    @Test
    void aMessageThatWasMadeForALongTextIsNotUsedForOthers() {
        VariableCodec<String> texts = VariableCodecs.forType(String.class);
        SendBuffer<String, String> staged = buffer(entries(new PayloadForm<>("map", texts, texts, world.epochs())));
        assertThat(staged.append("key", "v".repeat(2_000))).isFalse();
        assertThat(staged.appendBehind("key", "v".repeat(2_000))).isTrue();
        staged.send(message -> {});
        assertThat(staged.append("key", "v".repeat(2_000))).isFalse();
        assertThat(staged.append("key", "v")).isTrue();
    }
}
