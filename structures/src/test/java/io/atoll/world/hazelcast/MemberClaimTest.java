package io.atoll.world.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.memory.WorldIdentity;
import io.atoll.world.Member;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MemberClaimTest {

    private final MemberClaim memberClaim = new MemberClaim(
            new Member(new WorldIdentity("shop", 8), 7, 2, 65_535, Map.of("host", "10.0.0.7", "port", "")), "p");

    @Test
    void aClaimIsReadFromTheAttributesAsItWasWritten() {
        assertThat(MemberClaim.read(memberClaim.attributes())).contains(memberClaim);
    }

    @Test
    void theAttributesOfOtherProgramsAreNoClaim() {
        assertThat(MemberClaim.read(Map.of("zone", "a"))).isEmpty();
    }

    @Test
    void attributesThatLackOneAreNoClaim() {
        memberClaim.attributes().keySet().stream().filter(key -> !key.startsWith("atoll.address.")).forEach(key -> {
            Map<String, String> lacking = memberClaim.attributes();
            lacking.remove(key);
            assertThat(MemberClaim.read(lacking)).as("without %s", key).isEmpty();
        });
    }

    @Test
    void malformedAttributesAreNoClaim() {
        Map<String, String> malformed = Map.of("atoll.world", "two words", "atoll.size", "0", "atoll.layout-version",
                "1.5", "atoll.rank", "8", "atoll.incarnation", "one");
        malformed.forEach((key, value) -> {
            Map<String, String> attributes = memberClaim.attributes();
            attributes.put(key, value);
            assertThat(MemberClaim.read(attributes)).as("%s=%s", key, value).isEmpty();
        });
    }
}
