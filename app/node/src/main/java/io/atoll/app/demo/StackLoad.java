package io.atoll.app.demo;

import io.atoll.World;
import io.atoll.linked.LinkedStack;
import java.util.random.RandomGenerator;

/** Pushes steps that could be undone, and undoes all of them. Popped nodes are retired. */
final class StackLoad implements Load {

    private final LinkedStack<Long> steps;
    private final Tide tide = new Tide();

    StackLoad(World world) {
        this.steps = world.stack("demo-undo", Long.class).host(world.size() - 1).openLazily();
    }

    @Override
    public void step(RandomGenerator random) {
        int many = tide.next(random);
        for (int pushed = 0; pushed < many; pushed++) {
            steps.push(random.nextLong());
            tide.put();
        }
        for (int popped = 0; popped < -many; popped++) {
            if (steps.pop() == null) {
                tide.foundEmpty();
                return;
            }
        }
    }
}
