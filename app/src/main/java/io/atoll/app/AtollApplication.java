package io.atoll.app;

/** The command line of the node. */
public final class AtollApplication {
    private AtollApplication() {}

    public static void main(String[] args) {
        System.err.println("Usage: java -jar atoll-app.jar COMMAND [OPTIONS]");
        System.exit(2);
    }
}
