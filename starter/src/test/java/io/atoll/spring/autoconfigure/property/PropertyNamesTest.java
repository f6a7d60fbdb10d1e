package io.atoll.spring.autoconfigure.property;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.spring.autoconfigure.property.PropertyNames.Root;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

class PropertyNamesTest {

    record Fleet(String name, Harbour homePort, Map<String, Ship> ships, List<String> crew,
            Map<String, String> flags) {}

    record Harbour(int berths) {}

    record Ship(int maximumLoad) {}

    record Office(boolean open) {}

    private final PropertyNames names = new PropertyNames(
            List.of(new Root(ConfigurationPropertyName.of("sea"), Fleet.class),
                    new Root(ConfigurationPropertyName.of("sea.office"), Office.class)));

    private boolean contains(String name) {
        return names.contains(ConfigurationPropertyName.of(name));
    }

    @ParameterizedTest
    @ValueSource(strings = {"sea.name", "sea.home-port.berths", "sea.homeport.berths", "sea.ships.star.maximum-load",
        "sea.ships[north.star].maximum-load", "sea.crew", "sea.crew[7]", "sea.flags.star", "sea.office.open"})
    void whatIsReadIsKnown(String name) {
        assertThat(contains(name)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"sea.ships", "sea.ships.star", "sea.home-port", "sea.office", "sea"})
    void whatHasNoValueIsKnown(String name) {
        assertThat(contains(name)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"sea.nam", "sea.name.first", "sea.crew.captain", "sea.ships.star.load",
        "sea.home-port.berths.one",
        "sea.office.shut", "sea.flags.star.colour", "sea.crew[0].name"})
    void whatNothingReadsIsNot(String name) {
        assertThat(contains(name)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"sea.nmae, sea.name", "sea.homeport.berth, sea.home-port.berths",
        "sea.ships.star.maximal-load, sea.ships.star.maximum-load",
        "sea.ship.star.maximum-load, sea.ships.star.maximum-load",
        "sea.crews[0], sea.crew", "sea.ofice.open, sea.office.open"})
    void theNearestNameIsTheOneThatIsMeant(String wrong, String meant) {
        assertThat(names.nearest(ConfigurationPropertyName.of(wrong))).hasValue(meant);
    }

    @Test
    void whereThereIsNoNameNoneIsNear() {
        assertThat(new PropertyNames(List.of()).nearest(ConfigurationPropertyName.of("sea"))).isEmpty();
    }
}
