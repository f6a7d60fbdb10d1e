package io.atoll.process;

import java.util.List;

/** What a {@link ChildProcess} can do for its test. Has a constructor without parameters. */
public interface Program extends AutoCloseable {

    /**
     * Called by one thread, command by command.
     *
     * @return one line for the test, or nothing
     * @throws Exception and the test is told its class and message
     */
    String obey(String command, List<String> arguments) throws Exception;

    /** The end in order: the test has closed the process's input, or has itself ended. */
    @Override
    void close();
}
