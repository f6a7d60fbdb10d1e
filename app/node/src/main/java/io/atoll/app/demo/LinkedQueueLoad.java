package io.atoll.app.demo;

import io.atoll.World;
import io.atoll.linked.LinkedQueue;
import java.util.random.RandomGenerator;

/** Lets mail pile up, and takes all of it out. Popped nodes are retired. */
final class LinkedQueueLoad implements Load {

    private final LinkedQueue<Long> mail;
    private final Tide tide = new Tide();

    LinkedQueueLoad(World world) {
        this.mail = world.linkedQueue("demo-mail", Long.class).host(world.size() / 2).openLazily();
    }

    @Override
    public void step(RandomGenerator random) {
        int many = tide.next(random);
        for (int pushed = 0; pushed < many; pushed++) {
            mail.push(random.nextLong());
            tide.put();
        }
        for (int popped = 0; popped < -many; popped++) {
            if (mail.pop() == null) {
                tide.foundEmpty();
                return;
            }
        }
    }
}
