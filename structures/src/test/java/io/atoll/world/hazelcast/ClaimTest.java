package io.atoll.world.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.memory.WorldIdentity;
import io.atoll.world.Member;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClaimTest {

    private final Claim claim = new Claim(
            new Member(new WorldIdentity("shop", 8), 7, 2, 65_535, Map.of("host", "10.0.0.7", "port", "")), "p");

    @Test
    void aClaimIsReadFromTheAttributesAsItWasWritten() {
        assertThat(Claim.read(claim.attributes())).contains(claim);
    }

    @Test
    void theAttributesOfOtherProgramsAreNoClaim() {
        assertThat(Claim.read(Map.of("zone", "a"))).isEmpty();
    }

    @Test
    void attributesThatLackOneAreNoClaim() {
        claim.attributes().keySet().stream().filter(key -> !key.startsWith("atoll.address.")).forEach(key -> {
            Map<String, String> lacking = claim.attributes();
            lacking.remove(key);
            assertThat(Claim.read(lacking)).as("without %s", key).isEmpty();
        });
    }

    @Test
    void malformedAttributesAreNoClaim() {
        Map<String, String> malformed = Map.of("atoll.world", "two words", "atoll.size", "0", "atoll.layout-version",
                "1.5", "atoll.rank", "8", "atoll.incarnation", "one");
        malformed.forEach((key, value) -> {
            Map<String, String> attributes = claim.attributes();
            attributes.put(key, value);
            assertThat(Claim.read(attributes)).as("%s=%s", key, value).isEmpty();
        });
    }
}
