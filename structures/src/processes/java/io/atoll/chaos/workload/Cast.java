package io.atoll.chaos.workload;

import io.atoll.chaos.history.Structure;
import java.util.ArrayList;
import java.util.List;

/** All workloads of a process. */
public final class Cast {

    private Cast() {}

    /** Returns one workload for each structure, and two if threads of one process may affect each other. */
    public static List<Workload> of(Scene scene) {
        List<Workload> all = new ArrayList<>();
        all.add(new LongMapWorkload(scene, all.size()));
        all.add(new MapWorkload.Fixed(scene, all.size()));
        all.add(new MapWorkload.Texts(scene, all.size()));
        all.add(new ArrayWorkload.Longs(scene, all.size()));
        all.add(new ArrayWorkload.Elements(scene, all.size()));
        all.add(new ArrayWorkload.Hosted(scene, all.size()));
        all.add(new AtomicObjectWorkload(scene, all.size()));
        all.add(new FilterWorkload(scene, all.size()));
        all.add(new QueueWorkload.Circular(scene, all.size()));
        all.add(new QueueWorkload.Longs(scene, all.size()));
        all.add(new QueueWorkload.Linked(scene, all.size()));
        all.add(new QueueWorkload.Stack(scene, all.size()));
        for (int twice = 0; twice < 2; twice++) {
            all.add(new LockWorkload(scene, Structure.ALOCK, all.size()));
            all.add(new LockWorkload(scene, Structure.MCS, all.size()));
            all.add(new LockWorkload(scene, Structure.SPIN, all.size()));
            all.add(new EpochWorkload(scene, all.size()));
        }
        for (int sender = 0; sender < WindowWorkload.SENDERS; sender++) {
            all.add(new WindowWorkload(scene, all.size(), sender));
        }
        all.add(new TogetherWorkload(scene, all.size()));
        if (scene.setting.reduces()) {
            all.add(new ReductionWorkload(scene, all.size()));
        }
        if (scene.setting.pressed()) {
            all.add(new PressureWorkload(scene, all.size()));
        }
        if (scene.setting.errors()) {
            all.add(new ErrorWorkload(scene, all.size()));
        } else {
            all.add(new CrowdWorkload(scene, all.size()));
        }
        return all;
    }
}
