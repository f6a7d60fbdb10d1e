package io.atoll.spring.autoconfigure;

import io.atoll.memory.WorldIdentity;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.env.Environment;

/**
 * The rank that the surroundings assign to this process, and the source of that statement. The first of these sources
 * counts: the property, the ordinal in the pod's name if a StatefulSet gave it one, Slurm, the launcher of MPI. A world
 * of one rank does not listen to its surroundings: its rank is 0, whichever pod it runs in.
 */
record ConfiguredRank(String source, String value) {

    private static final String HOST_NAME = "HOSTNAME"; // in a pod: the pod's name
    private static final Pattern ORDINAL = Pattern.compile(".+-([0-9]+)");

    static Optional<ConfiguredRank> find(Environment environment, @Nullable Integer property, int worldSize) {
        if (property != null) {
            return Optional.of(new ConfiguredRank("atoll.world.rank", property.toString()));
        }
        if (worldSize == 1) {
            return Optional.empty();
        }
        return podOrdinal(environment).or(() -> launcher(environment, "SLURM_PROCID"))
                .or(() -> launcher(environment, "PMI_RANK"));
    }

    private static Optional<ConfiguredRank> podOrdinal(Environment environment) {
        return CloudPlatform.KUBERNETES.isActive(environment)
                ? Optional.ofNullable(environment.getProperty(HOST_NAME))
                        .map(ORDINAL::matcher)
                        .filter(Matcher::matches)
                        .map(name -> new ConfiguredRank(HOST_NAME, name.group(1)))
                : Optional.empty();
    }

    private static Optional<ConfiguredRank> launcher(Environment environment, String variable) {
        return Optional.ofNullable(environment.getProperty(variable)).map(value -> new ConfiguredRank(variable, value));
    }

    /** @throws InvalidConfigurationPropertyValueException if that world has no such rank */
    int in(WorldIdentity world) {
        try {
            int rank = Integer.parseInt(value);
            world.checkRank(rank);
            return rank;
        } catch (IllegalArgumentException failure) {
            throw new InvalidConfigurationPropertyValueException(source, value, String.valueOf(failure.getMessage()));
        }
    }
}
