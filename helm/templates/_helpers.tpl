{{/* Names: the StatefulSet's pods are called after it, and their label controller-revision-hash has 11 characters more, of 63 at most. */}}
{{- define "atoll.name" -}}
{{ .Values.nameOverride | default .Chart.Name | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "atoll.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{ .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else -}}
{{- /* A release may have dots in its name, and a service may not. */ -}}
{{- $release := .Release.Name | replace "." "-" -}}
{{- if contains (include "atoll.name" .) $release -}}
{{ $release | trunc 40 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" $release (include "atoll.name" .) | trunc 40 | trimSuffix "-" }}
{{- end }}
{{- end }}
{{- end }}

{{/* The headless service, by which ranks find each other. */}}
{{- define "atoll.ranks" -}}
{{ include "atoll.fullname" . }}-ranks
{{- end }}

{{- define "atoll.ranksDomain" -}}
{{ include "atoll.ranks" . }}.{{ .Release.Namespace }}.svc.{{ .Values.clusterDomain }}
{{- end }}

{{/* In a folder of the node files are told apart by this name, whatever namespace they are of. */}}
{{- define "atoll.worldName" -}}
{{- if .Values.world.name -}}
{{ .Values.world.name }}
{{- else if .Values.sharedMemory.hostPath -}}
{{ .Release.Namespace }}.{{ include "atoll.fullname" . }}
{{- else -}}
{{ include "atoll.fullname" . }}
{{- end }}
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

{{/* How ranks reach each other's memory. `verbs` is another name of `rdma`. */}}
{{- define "atoll.fabric" -}}
{{ eq .Values.fabric "verbs" | ternary "rdma" .Values.fabric }}
{{- end }}

{{/* True where ranks reach each other over a network, and so need a membership and a secret. */}}
{{- define "atoll.networked" -}}
{{- if ne (include "atoll.fabric" .) "shared-memory" }}true{{ end }}
{{- end }}

{{/* Where the passwords of the console's users are. */}}
{{- define "atoll.usersSecretName" -}}
{{ .Values.console.users.existingSecret | default (printf "%s-users" (include "atoll.fullname" .)) }}
{{- end }}

{{/* True where a rank reads properties of secrets. */}}
{{- define "atoll.hasSecrets" -}}
{{- if or (include "atoll.networked" .) .Values.console.users.enabled .Values.console.oidc.existingSecret }}true{{ end }}
{{- end }}

{{- define "atoll.selectorLabels" -}}
app.kubernetes.io/name: {{ include "atoll.name" . }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
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
{{- end }}

{{/* Name, namespace and labels of an object: the root, the name, and labels of the object's own. A label counts that is named first here. */}}
{{- define "atoll.metadata" -}}
name: {{ .name }}
namespace: {{ .root.Release.Namespace | quote }}
labels:
  {{- merge (include "atoll.labels" .root | fromYaml) (deepCopy (.labels | default dict)) (deepCopy .root.Values.commonLabels) | toYaml | nindent 2 }}
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
name={{ include "atoll.worldName" . }} size={{ .Values.world.size }} max-size={{ .Values.world.maxSize | default (max 64 .Values.world.size) }} segment={{ include "atoll.mebibytes" .Values.segment }}Mi fabric={{ include "atoll.fabric" . }} membership-port={{ .Values.ports.membership }} fabric-port={{ .Values.ports.fabric }} certificates={{ .Values.tls.enabled }}
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
{{- if and (eq (include "atoll.fabric" .) "rdma") (not .Values.rdma.resource) }}
{{- fail "a pod gets an RDMA device by a resource of its node, so set rdma.resource, or another fabric: fabric=rdma" }}
{{- end }}
{{- if and (ne (include "atoll.fabric" .) "rdma") .Values.rdma.resource }}
{{- fail (printf "an RDMA device is used by fabric=rdma only, so set that, or remove rdma.resource: fabric=%s" (include "atoll.fabric" .)) }}
{{- end }}
{{- if and (eq (include "atoll.fabric" .) "shared-memory") (gt (.Values.world.size | int) 1) (not .Values.sharedMemory.hostPath) }}
{{- fail "pods share memory by a folder of their node, so set sharedMemory.hostPath, such as /dev/shm: fabric=shared-memory" }}
{{- end }}
{{- if and (eq (include "atoll.fabric" .) "shared-memory") .Values.hostNetwork }}
{{- fail "pods of one node cannot all have its ports, so remove hostNetwork, or set another fabric: fabric=shared-memory" }}
{{- end }}
{{- if and .Values.sharedMemory.retain (not .Values.sharedMemory.hostPath) }}
{{- fail "segments outlive a pod in a folder of its node only, so set sharedMemory.hostPath, or remove sharedMemory.retain" }}
{{- end }}
{{- if .Values.tls.enabled }}
{{- if ne (include "atoll.fabric" .) "tcp" }}
{{- fail (printf "certificates are shown by TCP only, so set fabric=tcp, or remove tls.enabled: fabric=%s" (include "atoll.fabric" .)) }}
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
{{- if and (ge . ($.Values.ports.fabric | int)) (le . (include "atoll.lastFabricPort" $ | int)) (eq (include "atoll.fabric" $) "tcp") }}
{{- fail (printf "the ports of the fabric are as many as the world has ranks, so move ports.fabric away from this one: port=%v" .) }}
{{- end }}
{{- end }}
{{- if gt (include "atoll.lastFabricPort" . | int) 65535 }}
{{- fail (printf "ports end at 65535, so choose a lower ports.fabric: ports.fabric=%v world.size=%v" .Values.ports.fabric .Values.world.size) }}
{{- end }}
{{- if regexMatch "^[0-9]" (include "atoll.fullname" .) }}
{{- fail (printf "the name of a service begins with a letter, so set fullnameOverride: release=%s" .Release.Name) }}
{{- end }}
{{- if gt (include "atoll.worldName" . | len) 64 }}
{{- fail (printf "the name of a world has at most 64 characters, so set world.name: name=%s" (include "atoll.worldName" .)) }}
{{- end }}
{{- range $key := list "name" "size" "max-size" "maxSize" "rank" }}
{{- if hasKey (dig "atoll" "world" (dict) $.Values.application) $key }}
{{- fail (printf "the chart needs to know this of the world, so set world.* and not application.atoll.world.%s" $key) }}
{{- end }}
{{- end }}
{{- if and .Values.console.oidc.issuer (not .Values.console.oidc.clientId) }}
{{- fail "a provider knows the console as a client, so set console.oidc.clientId, or remove console.oidc.issuer" }}
{{- end }}
{{- if and (not .Values.console.oidc.issuer) (or .Values.console.oidc.clientId .Values.console.oidc.existingSecret .Values.console.oidc.authoritiesClaim) }}
{{- fail "users sign in at a provider, so set console.oidc.issuer, or remove the rest of console.oidc" }}
{{- end }}
{{- if and .Values.ingress.enabled (not .Values.ingress.hosts) }}
{{- fail "an Ingress without a host leads nowhere, so set ingress.hosts" }}
{{- end }}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) }}
{{- fail "an HTTPRoute without a gateway leads nowhere, so set httpRoute.parentRefs" }}
{{- end }}
{{- if and .Values.tls.certManager.issuerRef (not .Values.tls.certManager.issuerRef.name) }}
{{- fail "cert-manager looks for an issuer by its name, so set tls.certManager.issuerRef.name" }}
{{- end }}
{{- range (lookup "apps/v1" "StatefulSet" .Release.Namespace "" | default dict).items }}
{{- $founded := dig "metadata" "annotations" "atoll.io/foundation" "" . }}
{{- if and $founded (eq (dig "metadata" "labels" "app.kubernetes.io/instance" "" .) $.Release.Name) }}
{{- if ne (replace "fabric=verbs " "fabric=rdma " $founded) (include "atoll.foundation" $) }}
{{- fail (printf "a world keeps what it was founded with, so restore it, or uninstall the release, which ends the data, and install it again: founded with (%s), not (%s)" $founded (include "atoll.foundation" $)) }}
{{- end }}
{{- if ne .metadata.name (include "atoll.fullname" $) }}
{{- fail (printf "an upgrade by another name would remove the pods, and the data with them, so restore fullnameOverride and nameOverride: deployed=%s asked=%s" .metadata.name (include "atoll.fullname" $)) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
