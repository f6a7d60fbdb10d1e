package io.atoll.chaos.workload;

import io.atoll.array.Array;
import io.atoll.array.DistributedArray;
import io.atoll.array.LongArray;
import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import java.util.List;

/** Arrays over all ranks, and one at a single rank. Each element is a word. */
final class ArrayWorkload {

    private static final int LENGTH = 1 << 14;

    private ArrayWorkload() {}

    static final class Longs extends RegisterWorkload {

        private LongArray[] arrays = {};

        Longs(Scene scene, int thread) {
            super(scene, Structure.LONG_ARRAY, thread,
                    List.of(Verb.FIND, Verb.FIND, Verb.SET, Verb.GET_AND_ADD, Verb.GET_AND_ADD,
                            Verb.COMPARE_AND_EXCHANGE));
        }

        @Override
        protected void open() {
            arrays = new LongArray[]{array(), array()};
        }

        private LongArray array() {
            return scene.world.longArray("long-array").length(LENGTH).open();
        }

        @Override
        protected long key() {
            return index(super.key());
        }

        @Override
        long apply(Verb verb, long index, long argument, long second) {
            LongArray array = arrays[handle()];
            return switch (verb) {
                case FIND -> array.get(index);
                case GET_AND_ADD -> array.getAndAdd(index, argument);
                case COMPARE_AND_EXCHANGE -> array.compareAndExchange(index, argument, second);
                default -> {
                    array.set(index, argument);
                    array.flush();
                    yield 0;
                }
            };
        }
    }

    static final class Elements extends RegisterWorkload {

        private List<DistributedArray<Long>> arrays = List.of();

        Elements(Scene scene, int thread) {
            super(scene, Structure.ELEMENT_ARRAY, thread, List.of(Verb.FIND, Verb.SET));
        }

        @Override
        protected void open() {
            arrays = List.of(array(), array());
        }

        private DistributedArray<Long> array() {
            return scene.world.distributedArray("element-array", Long.class).length(LENGTH).open();
        }

        @Override
        protected long key() {
            return index(super.key());
        }

        @Override
        long apply(Verb verb, long index, long argument, long second) {
            DistributedArray<Long> array = arrays.get(handle());
            if (verb == Verb.FIND) {
                return array.get(index);
            }
            array.set(index, argument);
            array.flush();
            return 0;
        }
    }

    static final class Hosted extends RegisterWorkload {

        private List<Array<Long>> arrays = List.of();

        Hosted(Scene scene, int thread) {
            super(scene, Structure.HOSTED_ARRAY, thread, List.of(Verb.FIND, Verb.SET));
        }

        @Override
        protected void open() {
            arrays = List.of(array(), array());
        }

        private Array<Long> array() {
            return scene.world.array("hosted-array", Long.class).length(LENGTH).host(1).open();
        }

        @Override
        protected long key() {
            return index(super.key());
        }

        @Override
        long apply(Verb verb, long index, long argument, long second) {
            Array<Long> array = arrays.get(handle());
            if (verb == Verb.FIND) {
                return array.get(index);
            }
            array.set(index, argument);
            array.flush();
            return 0;
        }
    }

    /** The indices of one second lie in the parts of all ranks. */
    private static long index(long key) {
        return key * 683 % LENGTH;
    }
}
