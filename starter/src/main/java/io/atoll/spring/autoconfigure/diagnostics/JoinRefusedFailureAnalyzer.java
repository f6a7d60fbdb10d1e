package io.atoll.spring.autoconfigure.diagnostics;

import io.atoll.failure.JoinRefusedException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

final class JoinRefusedFailureAnalyzer extends AbstractFailureAnalyzer<JoinRefusedException> {

    private static final String UNSECURED = """
            Make a secret with 'openssl rand -base64 32', give it to all processes as an environment variable, and add \
            this line to application.yaml:

                atoll.fabric.tcp.secret: ${ATOLL_SECRET}

            Or let all show certificates of an SSL bundle, and name those that are ranks:

                atoll.fabric.tcp.ssl: {bundle: atoll, peers: "*.shop.example.com"}

            Or, where nobody else reaches the port:

                atoll.fabric.tcp.security: none""";

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, JoinRefusedException cause) {
        return new FailureAnalysis("This process cannot join the world: " + cause.getMessage(), action(cause), cause);
    }

    private static String action(JoinRefusedException cause) {
        return switch (cause.reason()) {
            case RANK_TAKEN -> "Give each process its own atoll.world.rank: without one it takes the first that is"
                    + " free on its host, which a process of another host may have. If more processes are to take part,"
                    + " raise atoll.world.size at all of them. Worlds that have nothing to do with each other need"
                    + " different names: atoll.world.name.";
            case RANK_UNKNOWN -> "Set atoll.world.rank at each process, to another number from 0 on, such as by"
                    + " atoll.world.rank: ${RANK}. The pods of a StatefulSet, and processes that Slurm or MPI started,"
                    + " know theirs.";
            case RANK_LOST -> "Start the process again, and leave its files alone while it runs.";
            case REMOVED ->
                "Look at the network between the hosts, and at what stops this process for seconds. It joins again"
                        + " by itself, unless atoll.world.rejoin is false: then start it again.";
            case INCARNATIONS_SPENT -> "Stop all processes of the world, remove its files from"
                    + " atoll.fabric.shared-memory.folder, and start them again: what was in memory is lost.";
            case OTHER_WORLD -> "Set atoll.world.name to the name of the world that was found, or let this process look"
                    + " for its own world elsewhere.";
            case OTHER_SIZE -> "Set atoll.world.size to the same number at all processes of the world.";
            case OTHER_LAYOUT_VERSION -> "Run the same version of Atoll at all processes of the world; stop them all"
                    + " before one starts in another version.";
            case OTHER_SECRET ->
                "Set atoll.membership.hazelcast.secret to the same text at all processes of the world, or"
                        + " let this process look for its own world elsewhere.";
            case OTHER_USER -> "Run all processes of the world as the same user, or give this one another"
                    + " atoll.world.name or atoll.fabric.shared-memory.folder.";
            case NO_SPACE ->
                "Make atoll.segment.size smaller, or the memory larger: that of /dev/shm is set by 'mount -o"
                        + " remount,size=...', that of a container by --shm-size, that of a pod by an emptyDir of "
                        + "medium"
                        + " Memory. Another folder is chosen by atoll.fabric.shared-memory.folder.";
            case LOCKED_MEMORY ->
                "Let the process lock more memory than atoll.segment.size: 'ulimit -l unlimited' where it is"
                        + " started, memlock in /etc/security/limits.conf, LimitMEMLOCK of a systemd service, --ulimit"
                        + " memlock=-1 of a container; a pod has the limit of its node's container runtime. Or make"
                        + " atoll.segment.size smaller.";
            case NO_RDMA_DEVICE -> "Do what the description says, and look what this machine has with 'java -jar"
                    + " atoll-node.jar rdma-check'. A device is chosen by atoll.fabric.rdma.device and gid-index, or by"
                    + " its address, atoll.fabric.rdma.host; another fabric by atoll.fabric.type.";
            case NO_RDMA_ATOMICS ->
                "Choose a device that has atomics by atoll.fabric.rdma.device; 'java -jar atoll-node.jar"
                        + " rdma-check' shows which have. Without one choose another fabric by atoll.fabric.type.";
            case ADDRESS_UNAVAILABLE -> "Set atoll.fabric.tcp.bind to an address of this machine, or to 0.0.0.0 for"
                    + " all of them, and atoll.fabric.tcp.port to a port from which on as many as the world has "
                    + "ranks are"
                    + " free, or to 0 for any. With atoll.fabric.tcp.addresses, correct this rank's.";
            case UNREACHABLE -> "Set atoll.fabric.tcp.bind to an address by which other hosts reach this one, or to"
                    + " 0.0.0.0, and atoll.fabric.tcp.host to the name by which they do. With "
                    + "atoll.fabric.tcp.addresses,"
                    + " list one for this rank. If all processes run on this host, remove what lets"
                    + " atoll.membership.hazelcast look for others.";
            case UNSECURED -> UNSECURED;
            case FABRIC_UNAVAILABLE -> "Choose another fabric by atoll.fabric.type, or correct its settings; those of"
                    + " shared memory stand under atoll.fabric.shared-memory, those of TCP under atoll.fabric.tcp,"
                    + " those of RDMA under atoll.fabric.rdma.";
            case MEMBERSHIP_UNAVAILABLE -> "Correct the settings under atoll.membership.hazelcast: an address of this"
                    + " machine, and ports that nobody else uses.";
        };
    }
}
