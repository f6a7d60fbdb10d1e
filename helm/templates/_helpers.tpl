{{/* Names: the StatefulSet's pods are called after it, and their label controller-revision-hash has 11 characters more, of 63 at most. */}}
{{- define "atoll.name" -}}
{{ .Values.nameOverride | default .Chart.Name | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "atoll.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{ .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else if contains (include "atoll.name" .) .Release.Name -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name (include "atoll.name" .) | trunc 40 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{/* The headless service, by which ranks find each other. */}}
{{- define "atoll.ranks" -}}
{{ include "atoll.fullname" . }}-ranks
{{- end }}

{{- define "atoll.ranksDomain" -}}
{{ include "atoll.ranks" . }}.{{ .Release.Namespace }}.svc.{{ .Values.clusterDomain }}
{{- end }}

{{- define "atoll.worldName" -}}
{{ .Values.world.name | default (include "atoll.fullname" .) }}
{{- end }}

{{- define "atoll.replicas" -}}
{{ kindIs "invalid" .Values.replicas | ternary .Values.world.size .Values.replicas }}
{{- end }}

{{- define "atoll.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{ .Values.serviceAccount.name | default (include "atoll.fullname" .) }}
{{- else -}}
{{ .Values.serviceAccount.name | default "default" }}
{{- end }}
{{- end }}

{{/* Where the secrets are that ranks prove to know. */}}
{{- define "atoll.secretName" -}}
{{ .Values.secret.existingSecret | default (printf "%s-secret" (include "atoll.fullname" .)) }}
{{- end }}

{{- define "atoll.tlsSecretName" -}}
{{ .Values.tls.existingSecret | default (printf "%s-tls" (include "atoll.fullname" .)) }}
{{- end }}

{{/* True where ranks reach each other over a network, and so need a membership and a secret. */}}
{{- define "atoll.networked" -}}
{{- if ne .Values.fabric "shared-memory" }}true{{ end }}
{{- end }}

{{- define "atoll.selectorLabels" -}}
app.kubernetes.io/name: {{ include "atoll.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "atoll.rankLabels" -}}
{{ include "atoll.selectorLabels" . }}
app.kubernetes.io/component: rank
{{- end }}

{{- define "atoll.labels" -}}
{{ include "atoll.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Name, namespace and labels of an object: the root and the name. */}}
{{- define "atoll.metadata" -}}
name: {{ .name }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "atoll.labels" .root | nindent 2 }}
{{- end }}

{{/* An image: the root and its values. */}}
{{- define "atoll.image" -}}
{{- if .image.digest -}}
{{ .image.repository }}@{{ .image.digest }}
{{- else -}}
{{ .image.repository }}:{{ .image.tag | default .root.Chart.AppVersion }}
{{- end }}
{{- end }}

{{/* A quantity of Mi or Gi as a number of Mi. */}}
{{- define "atoll.mebibytes" -}}
{{- if hasSuffix "Gi" . -}}
{{ mul 1024 (trimSuffix "Gi" . | int64) }}
{{- else -}}
{{ trimSuffix "Mi" . | int64 }}
{{- end }}
{{- end }}

{{/* The same as Spring writes it, to whom a MB has 2^20 bytes. */}}
{{- define "atoll.dataSize" -}}
{{ . | replace "Mi" "MB" | replace "Gi" "GB" }}
{{- end }}

{{/* What /dev/shm holds: the segment, and what the world notes beside it. */}}
{{- define "atoll.sharedMemoryMebibytes" -}}
{{ add 16 (include "atoll.mebibytes" .Values.segment | int64) }}
{{- end }}

{{/* What a rank itself takes: pages in /dev/shm are charged to the container that touches them first. */}}
{{- define "atoll.memoryRequest" -}}
{{- $java := add (include "atoll.mebibytes" .Values.jvm.heap | int64) (include "atoll.mebibytes" .Values.jvm.overhead | int64) -}}
{{ add $java (include "atoll.sharedMemoryMebibytes" . | int64) }}Mi
{{- end }}

{{/* Where ranks of a node share memory, one may have touched the segments of all. */}}
{{- define "atoll.memoryLimit" -}}
{{- if .Values.sharedMemory.hostPath -}}
{{- $others := sub (.Values.world.size | int64) 1 -}}
{{- $segments := mul $others (include "atoll.sharedMemoryMebibytes" . | int64) -}}
{{ add $segments (include "atoll.memoryRequest" . | trimSuffix "Mi" | int64) }}Mi
{{- else -}}
{{ include "atoll.memoryRequest" . }}
{{- end }}
{{- end }}

{{/* What all ranks of a world must agree on from its foundation to its end. */}}
{{- define "atoll.foundation" -}}
name={{ include "atoll.worldName" . }} size={{ .Values.world.size }} max-size={{ .Values.world.maxSize | default "" }} segment={{ .Values.segment }} fabric={{ .Values.fabric }}
{{- end }}

{{/* The last port at which a rank listens for the fabric, by TCP. */}}
{{- define "atoll.lastFabricPort" -}}
{{ sub (add .Values.ports.fabric .Values.world.size | int64) 1 }}
{{- end }}

{{/* What depends on two values, which the schema cannot say. */}}
{{- define "atoll.refuse" -}}
{{- if ne (include "atoll.replicas" . | int) (.Values.world.size | int) }}
{{- fail (printf "a world has as many pods as ranks for now, so remove replicas, or set it to world.size: replicas=%v world.size=%v" .Values.replicas .Values.world.size) }}
{{- end }}
{{- if and .Values.world.maxSize (lt (.Values.world.maxSize | int) (.Values.world.size | int)) }}
{{- fail (printf "a world is founded with no more ranks than it may ever have, so raise world.maxSize: world.maxSize=%v world.size=%v" .Values.world.maxSize .Values.world.size) }}
{{- end }}
{{- if and (eq .Values.fabric "verbs") (not .Values.rdma.resource) }}
{{- fail "a pod gets an RDMA device by a resource of its node, so set rdma.resource, or another fabric: fabric=verbs" }}
{{- end }}
{{- if and (ne .Values.fabric "verbs") .Values.rdma.resource }}
{{- fail (printf "an RDMA device is used by fabric=verbs only, so set that, or remove rdma.resource: fabric=%s" .Values.fabric) }}
{{- end }}
{{- if and (eq .Values.fabric "shared-memory") (gt (.Values.world.size | int) 1) (not .Values.sharedMemory.hostPath) }}
{{- fail "pods share memory by a folder of their node, so set sharedMemory.hostPath, such as /dev/shm: fabric=shared-memory" }}
{{- end }}
{{- if and (eq .Values.fabric "shared-memory") .Values.hostNetwork }}
{{- fail "pods of one node cannot all have its ports, so remove hostNetwork, or set another fabric: fabric=shared-memory" }}
{{- end }}
{{- if and .Values.sharedMemory.retain (not .Values.sharedMemory.hostPath) }}
{{- fail "segments outlive a pod in a folder of its node only, so set sharedMemory.hostPath, or remove sharedMemory.retain" }}
{{- end }}
{{- if .Values.tls.enabled }}
{{- if ne .Values.fabric "tcp" }}
{{- fail (printf "certificates are shown by TCP only, so set fabric=tcp, or remove tls.enabled: fabric=%s" .Values.fabric) }}
{{- end }}
{{- if not (or .Values.tls.existingSecret .Values.tls.certManager.issuerRef) }}
{{- fail "certificates come from a secret or from cert-manager, so set tls.existingSecret or tls.certManager.issuerRef" }}
{{- end }}
{{- if and .Values.tls.existingSecret .Values.tls.certManager.issuerRef }}
{{- fail "certificates come from a secret or from cert-manager, so remove tls.existingSecret or tls.certManager.issuerRef" }}
{{- end }}
{{- if and .Values.tls.existingSecret (not .Values.tls.peers) }}
{{- fail "every process with a certificate of the same authority would be let in, so set tls.peers to the names that the certificates have" }}
{{- end }}
{{- end }}
{{- if le (.Values.shutdown.graceSeconds | int) (add .Values.shutdown.preStopSeconds .Values.shutdown.requestSeconds | int) }}
{{- fail (printf "a rank is killed before it has left, so raise shutdown.graceSeconds above preStopSeconds and requestSeconds together: shutdown.graceSeconds=%v" .Values.shutdown.graceSeconds) }}
{{- end }}
{{- $ports := list (.Values.ports.http | int) (.Values.ports.management | int) (.Values.ports.membership | int) }}
{{- if ne (len $ports) (len (uniq $ports)) }}
{{- fail (printf "each port has one use, so change one of ports.http, ports.management and ports.membership: ports=%v" $ports) }}
{{- end }}
{{- range $ports }}
{{- if and (ge . ($.Values.ports.fabric | int)) (le . (include "atoll.lastFabricPort" $ | int)) (eq $.Values.fabric "tcp") }}
{{- fail (printf "the ports of the fabric are as many as the world has ranks, so move ports.fabric away from this one: port=%v" .) }}
{{- end }}
{{- end }}
{{- $deployed := lookup "apps/v1" "StatefulSet" .Release.Namespace (include "atoll.fullname" .) }}
{{- $founded := dig "metadata" "annotations" "atoll.io/foundation" "" ($deployed | default dict) }}
{{- if and $founded (ne $founded (include "atoll.foundation" .)) }}
{{- fail (printf "a world keeps what it was founded with, so restore it, or uninstall the release, which ends the data, and install it again: founded with (%s), not (%s)" $founded (include "atoll.foundation" .)) }}
{{- end }}
{{- end }}
