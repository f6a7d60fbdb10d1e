/** Tests of the Helm chart: Helm renders it, and the models of a current Kubernetes read what it renders. */
@NullMarked
package io.atoll.chart;

import org.jspecify.annotations.NullMarked;
