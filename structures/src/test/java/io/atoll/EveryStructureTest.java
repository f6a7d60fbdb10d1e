package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class EveryStructureTest {

    @Test
    void everyStructureThatAWorldDescribesIsListedOnce() {
        assertThat(Stream.of(EveryStructure.values()).map(EveryStructure::type))
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(World.class.getMethods())
                        .filter(EveryStructureTest::describesAStructure)
                        .<Class<?>>map(EveryStructureTest::described)
                        .toList());
    }

    private static boolean describesAStructure(Method method) {
        return Arrays.stream(method.getReturnType().getMethods()).anyMatch(each -> each.getName().equals("openLazily"));
    }

    /** Returns the structure that the builder opens. A builder of several kinds is told the kind. */
    private static Class<?> described(Method method) {
        Type built = method.getGenericReturnType();
        if (built instanceof ParameterizedType of && of.getActualTypeArguments()[0] instanceof ParameterizedType kind) {
            return (Class<?>) kind.getRawType();
        }
        return method.getReturnType().getEnclosingClass();
    }
}
