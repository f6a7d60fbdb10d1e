package io.atoll.fabric.rdma;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;

/** Marks a test that needs an RDMA device. It runs in the lab, and is skipped elsewhere. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("rdma")
@EnabledIf(value = "io.atoll.fabric.rdma.RdmaDevice#isPresent", //
        disabledReason = "no RDMA device here; the lab has one: mvn -q -DskipTests -Prdma-lab -pl structures test")
public @interface NeedsRdmaDevice {}
