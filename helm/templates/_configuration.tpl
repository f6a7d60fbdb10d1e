{{/* application.yaml as the chart writes it. ${...} are filled in by Spring. */}}
{{- define "atoll.configuration" -}}
server:
  address: 0.0.0.0
  port: {{ .Values.ports.http }}
  shutdown: graceful
  {{- if or .Values.ingress.enabled .Values.httpRoute.enabled }}
  # What callers see of it, for links, and to tell its own pages from others.
  forward-headers-strategy: framework
  {{- end }}
  {{- if and .Values.console.oidc.issuer .Values.ingress.enabled .Values.ingress.tls }}
  servlet:
    session:
      cookie:
        secure: true
  {{- end }}
spring:
  lifecycle:
    timeout-per-shutdown-phase: {{ .Values.shutdown.requestSeconds }}s
  {{- if include "atoll.hasSecrets" . }}
  config:
    import: configtree:/etc/atoll/secret/
  {{- end }}
  {{- if .Values.tls.enabled }}
  ssl:
    bundle:
      pem:
        ranks:
          reload-on-update: true
          keystore:
            certificate: /etc/atoll/tls/tls.crt
            private-key: /etc/atoll/tls/tls.key
          truststore:
            certificate: /etc/atoll/tls/ca.crt
  {{- end }}
  {{- with .Values.console.oidc }}
  {{- if .issuer }}
  security:
    oauth2:
      client:
        provider:
          console:
            issuer-uri: {{ .issuer | quote }}
        registration:
          console:
            client-id: {{ .clientId | quote }}
            {{- if not .existingSecret }}
            # It proves by PKCE that it is the one that has asked.
            client-authentication-method: none
            {{- end }}
            scope: openid
  {{- end }}
  {{- end }}
{{- $pauses := and .Values.shutdown.preStopSeconds (semverCompare "<1.30-0" .Capabilities.KubeVersion.Version) }}
{{- if or $pauses .Values.console.users.enabled .Values.console.oidc.authoritiesClaim }}
node:
  {{- if $pauses }}
  # Kubernetes has no pause before it tells a container to end. Atoll's node makes one.
  stop-delay: {{ .Values.shutdown.preStopSeconds }}s
  {{- end }}
  {{- if .Values.console.users.enabled }}
  # Their passwords are files of the secret.
  users:
    admin:
      role: admin
    reader:
      role: reader
  {{- end }}
  {{- with .Values.console.oidc.authoritiesClaim }}
  authorities-claim: {{ . | quote }}
  {{- end }}
{{- end }}
management:
  server:
    address: 0.0.0.0
    port: {{ .Values.ports.management }}
  endpoint:
    health:
      probes:
        enabled: true
  endpoints:
    web:
      exposure:
        include: health, prometheus
atoll:
  world:
    name: {{ include "atoll.worldName" . | quote }}
    size: {{ .Values.world.size }}
    {{- with .Values.world.maxSize }}
    max-size: {{ . }}
    {{- end }}
    join-timeout: {{ .Values.world.joinTimeout }}
  segment:
    size: {{ include "atoll.dataSize" .Values.segment }}
  fabric:
    type: {{ include "atoll.fabric" . }}
    shared-memory:
      folder: /dev/shm
      {{- /* Memory of the pod ends with it in any case, and outlives a restart of its container. */}}
      retain: {{ or .Values.sharedMemory.retain (not .Values.sharedMemory.hostPath) }}
    {{- if eq (include "atoll.fabric" .) "tcp" }}
    tcp:
      bind: ${POD_IP}
      port: {{ .Values.ports.fabric }}
      {{- if .Values.tls.enabled }}
      ssl:
        bundle: ranks
        peers:
          {{- if .Values.tls.peers }}
          {{- toYaml .Values.tls.peers | nindent 10 }}
          {{- else }}
          - {{ include "atoll.ranksDomain" . }}
          {{- end }}
      {{- end }}
    {{- end }}
    {{- if and (eq (include "atoll.fabric" .) "rdma") (or .Values.rdma.device (not (kindIs "invalid" .Values.rdma.gidIndex))) }}
    rdma:
      {{- with .Values.rdma.device }}
      device: {{ . }}
      {{- end }}
      {{- if not (kindIs "invalid" .Values.rdma.gidIndex) }}
      gid-index: {{ .Values.rdma.gidIndex }}
      {{- end }}
    {{- end }}
  membership:
    {{- if include "atoll.networked" . }}
    type: hazelcast
    hazelcast:
      bind-address: ${POD_IP}
      port: {{ .Values.ports.membership }}
      kubernetes-service: {{ include "atoll.ranksDomain" . }}
      cluster-name: {{ include "atoll.worldName" . | quote }}
    {{- else }}
    type: one-host
    {{- end }}
  admin:
    exposed: {{ .Values.console.exposed }}
    actions: {{ .Values.console.actions }}
{{- end }}

{{/* The same with what the user adds. */}}
{{- define "atoll.application" -}}
{{- if .Values.application -}}
{{- $own := include "atoll.configuration" . | fromYaml }}
{{- $all := mergeOverwrite (deepCopy $own) (deepCopy .Values.application) }}
{{- $secrets := dig "spring" "config" "import" "" $own }}
{{- $import := dig "spring" "config" "import" "" $all }}
{{- /* Files that the user imports are read besides the secrets, not instead of them. */}}
{{- if and $secrets (ne ($import | toString) $secrets) }}
{{- $_ := set $all.spring.config "import" (concat (list $secrets) (kindIs "slice" $import | ternary $import (list $import))) }}
{{- end }}
{{- $all | toYaml }}
{{- else -}}
{{ include "atoll.configuration" . }}
{{- end }}
{{- end }}
