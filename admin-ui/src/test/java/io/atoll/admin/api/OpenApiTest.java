package io.atoll.admin.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonFormat;
import io.atoll.map.MapPlace;
import io.atoll.spring.state.CollectivesState;
import io.atoll.spring.state.ConnectionsState;
import io.atoll.spring.state.EpochState;
import io.atoll.spring.state.EpochSummary;
import io.atoll.spring.state.FabricState;
import io.atoll.spring.state.HistoryState;
import io.atoll.spring.state.LockGraph;
import io.atoll.spring.state.LockTableState;
import io.atoll.spring.state.PeerState;
import io.atoll.spring.state.RankEvent;
import io.atoll.spring.state.RankState;
import io.atoll.spring.state.SegmentState;
import io.atoll.spring.state.StructureDetails;
import io.atoll.spring.state.StructureState;
import io.atoll.spring.state.TrafficState;
import io.atoll.spring.state.ViewState;
import io.atoll.spring.state.WorldState;
import io.atoll.spring.state.overview.Overview;
import io.atoll.spring.state.overview.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.yaml.snakeyaml.Yaml;

/** The description of the API says what the code does. */
class OpenApiTest {

    private static final String SCHEMA = "#/components/schemas/";

    private Map<String, ?> description;

    @BeforeEach
    void read() throws IOException {
        try (InputStream file = OpenApiTest.class.getResourceAsStream("openapi.yaml")) {
            description = new Yaml().load(file);
        }
    }

    private static Stream<Method> all() {
        return Stream
                .of(ApiController.class, OverviewController.class, HistoryController.class, EntryController.class,
                        DiagnosisController.class, ActionController.class, OtherRequests.class)
                .flatMap(controller -> Arrays.stream(controller.getDeclaredMethods()))
                .filter(method -> method.isAnnotationPresent(GetMapping.class)
                        || method.isAnnotationPresent(PostMapping.class));
    }

    private static String path(Method method) {
        return Stream.of(method.getDeclaringClass(), method)
                .map(each -> AnnotatedElementUtils.findMergedAnnotation(each, RequestMapping.class).path()[0])
                .collect(Collectors.joining());
    }

    private static String verb(Method method) {
        return method.isAnnotationPresent(GetMapping.class) ? "get" : "post";
    }

    @SuppressWarnings("unchecked")
    private static Map<String, ?> at(Map<String, ?> node, String... keys) {
        Map<String, ?> found = node;
        for (String key : keys) {
            assertThat(found).containsKey(key);
            found = (Map<String, ?>) found.get(key);
        }
        return found;
    }

    @Test
    void everyPathIsDescribedAndNoneThatIsNotThere() {
        assertThat(description.get("openapi")).asString().startsWith("3.1");
        assertThat(List.copyOf(at(description, "paths").keySet()))
                .containsExactlyInAnyOrderElementsOf(all().map(OpenApiTest::path).toList());
        all().forEach(each -> assertThat(List.copyOf(at(description, "paths", path(each)).keySet()))
                .containsExactly(verb(each)));
    }

    @Test
    void everyParameterIsDescribedAndNoneThatIsNotThere() {
        all().forEach(read -> {
            List<?> described = (List<?>) at(description, "paths", path(read), verb(read)).get("parameters");
            List<String> expected = Arrays.stream(read.getParameters())
                    .filter(parameter -> parameter.isAnnotationPresent(RequestParam.class)
                            || parameter.isAnnotationPresent(PathVariable.class))
                    .map(Parameter::getName)
                    .toList();
            assertThat(described == null ? List.of() : described.stream().map(this::parameterName).toList())
                    .as(path(read))
                    .isEqualTo(expected);
        });
    }

    private Object parameterName(Object parameter) {
        Map<?, ?> described = (Map<?, ?>) parameter;
        String reference = (String) described.get("$ref");
        return reference == null
                ? described.get("name")
                : at(description, "components", "parameters", reference.replaceFirst(".*/", "")).get("name");
    }

    @Test
    void theBoundsOfPagesAreThoseOfTheCode() {
        Map<String, ?> size = at(description, "components", "parameters", "size", "schema");
        assertThat(size.get("minimum")).isEqualTo(1);
        assertThat(size.get("maximum")).isEqualTo(Paged.MAXIMUM_SIZE);
    }

    @Test
    void everyAnswerIsDescribedByItsRecord() {
        all().filter(read -> read.getReturnType().isRecord()).forEach(read -> {
            String answer = at(description, "paths", path(read), verb(read), "responses", "200").toString();
            assertThat(answer).contains(SCHEMA + read.getReturnType().getSimpleName() + "}");
            // The last name of Paged<SegmentState>, or the record itself.
            String[] names = read.getGenericReturnType().getTypeName().split("[.<>$]");
            assertThat(answer).contains(SCHEMA + names[names.length - 1] + "}");
        });
    }

    @Test
    void everyBodyOfAnActionIsDescribedByItsRecord() {
        all().forEach(action -> Arrays.stream(action.getParameters())
                .filter(parameter -> parameter.isAnnotationPresent(RequestBody.class))
                .forEach(body -> assertThat(at(description, "paths", path(action), "post", "requestBody").toString())
                        .contains(SCHEMA + body.getType().getSimpleName() + "}")));
    }

    @ParameterizedTest
    @ValueSource(classes = {WorldState.class, WorldState.Wait.class, FabricState.class, SegmentState.class,
        SegmentState.Usage.class,
        SegmentState.Block.class, EpochState.class, EpochState.RankEpoch.class, EpochState.PinnedToken.class,
        EpochState.LimboList.class, EpochState.LocalEpochs.class, CollectivesState.class,
        CollectivesState.RunningCollective.class, CollectivesState.CollectiveKind.class, ConnectionsState.class,
        ConnectionsState.ReachedRank.class, LockTableState.class,
        LockTableState.HeldLock.class, LockTableState.LockUser.class, StructureState.class, ViewState.class,
        ViewState.Member.class, Paged.class, FacetedPage.class, Listed.class, Session.class, Entry.class,
        SomeEntries.class, MapPlace.class,
        Overview.class, Overview.RankCounts.class, Problem.class, Problem.LockPlace.class, RankState.class,
        StructureDetails.class, StructureDetails.RankBytes.class, EpochSummary.class, EpochSummary.RankSummary.class,
        EpochSummary.OwnedLimbo.class, EpochSummary.Forecast.class, LockGraph.class, LockGraph.Edge.class,
        LockGraph.Waiter.class, HistoryState.class, HistoryState.SeriesState.class, HistoryState.RankSeries.class,
        RankEvent.class, TrafficState.class, TrafficState.Verbs.class, TrafficState.Batches.class,
        TrafficState.Carried.class, PeerState.class, ActionController.Unlock.class, ActionController.Named.class,
        ActionController.Resize.class, ActionController.Migrate.class, ActionController.Reclaimed.class,
        ActionController.Done.class})
    void everyRecordIsDescribedComponentByComponent(Class<? extends Record> type) {
        Map<String, ?> schema = at(description, "components", "schemas", type.getSimpleName());
        List<String> names = Arrays.stream(type.getRecordComponents()).map(RecordComponent::getName).toList();
        Map<String, ?> properties = at(schema, "properties");
        assertThat(List.copyOf(properties.keySet())).isEqualTo(names);
        assertThat(schema.get("required")).isEqualTo(names);
        for (RecordComponent component : type.getRecordComponents()) {
            assertThat(properties.get(component.getName()).toString()).as(component.getName())
                    .contains(component.getAccessor().isAnnotationPresent(JsonFormat.class)
                            ? "type=[string, null]"
                            : expected(component.getType()));
        }
    }

    private static String expected(Class<?> type) {
        if (type.isEnum()) {
            return "enum=" + Arrays.stream(type.getEnumConstants())
                    .map(Object::toString)
                    .collect(Collectors.joining(", ", "[", "]"));
        }
        if (type.isRecord()) {
            return SCHEMA + type.getSimpleName();
        }
        return switch (type.getSimpleName()) {
            case "int", "long" -> "type=integer";
            case "Long", "Integer", "Number" -> "type=[integer, null]";
            case "Object" -> "type=[string, integer, null]";
            case "Double" -> "type=[number, null]";
            case "boolean" -> "type=boolean";
            case "List" -> "type=array";
            case "Map" -> "type=object";
            case "String" -> "string";
            default -> throw new AssertionError("no schema is known for this type: type=" + type);
        };
    }
}
