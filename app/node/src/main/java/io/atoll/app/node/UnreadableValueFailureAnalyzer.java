package io.atoll.app.node;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.annotation.Order;
import org.springframework.core.convert.ConversionFailedException;

/**
 * Says what is wrong with a value that does not have its property's type. Spring Boot's own analyzer comes later, and
 * its text contains names of classes. Spring Boot finds this class in {@code META-INF/spring.factories}.
 */
@Order(0)
final class UnreadableValueFailureAnalyzer extends AbstractFailureAnalyzer<BindException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
        ConfigurationProperty property = cause.getProperty();
        ConversionFailedException failed = findCause(cause, ConversionFailedException.class);
        if (property == null || failed == null) {
            return null;
        }
        return new FailureAnalysis(property.getName() + " cannot be '" + property.getValue() + "': " + reason(failed),
                null, cause);
    }

    private static String reason(ConversionFailedException failed) {
        Object[] constants = failed.getTargetType().getType().getEnumConstants();
        return constants == null
                ? String.valueOf(NestedExceptionUtils.getMostSpecificCause(failed).getMessage())
                : "it is one of " + Arrays.stream(constants)
                        .map(constant -> constant.toString().toLowerCase(Locale.ROOT).replace('_', '-'))
                        .collect(Collectors.joining(", "));
    }
}
