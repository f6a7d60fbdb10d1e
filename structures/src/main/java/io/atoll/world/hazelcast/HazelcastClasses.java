package io.atoll.world.hazelcast;

/**
 * Loads the classes that Hazelcast looks up by name, but only its own and those of the JDK. So no name in a packet can
 * make an object of the application's classes, whichever serialization brings it.
 */
final class HazelcastClasses extends ClassLoader {

    HazelcastClasses(ClassLoader hazelcast) {
        super(hazelcast);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (name.startsWith("com.hazelcast.") || name.startsWith("java.")) {
            return super.loadClass(name, resolve);
        }
        throw new ClassNotFoundException("neither Hazelcast's nor the JDK's: " + name);
    }
}
