{{/* Written for the pod security standard "restricted"; what needs more says so in values.yaml. */}}
{{- define "atoll.podSecurityContext" -}}
{{- if .Values.rdma.runAsRoot -}}
runAsNonRoot: false
runAsUser: 0
{{- else -}}
runAsNonRoot: true
{{- if not (kindIs "invalid" .Values.security.user) }}
runAsUser: {{ .Values.security.user | int64 }}
{{- end }}
{{- end }}
{{- if not (kindIs "invalid" .Values.security.group) }}
runAsGroup: {{ .Values.security.group | int64 }}
fsGroup: {{ .Values.security.group | int64 }}
{{- end }}
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "atoll.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: {{ .Values.security.readOnlyRoot }}
capabilities:
  drop: [ALL]
  {{- if .Values.rdma.runAsRoot }}
  add: [IPC_LOCK]
  {{- end }}
{{- end }}

{{- define "atoll.podAnnotations" -}}
kubectl.kubernetes.io/default-container: atoll
atoll.io/configuration: {{ include "atoll.application" . | sha256sum | quote }}
{{- if include "atoll.networked" . }}
atoll.io/secret: {{ .Values.secret.existingSecret | default (.Values.secret.generation | int64 | toString) | quote }}
{{- end }}
{{- with .Values.rdma.networks }}
k8s.v1.cni.cncf.io/networks: {{ . | quote }}
{{- end }}
{{- end }}

{{/* Files of a secret: those of the process's group, or everybody's in the container where the cluster chooses the group and tells nobody. */}}
{{- define "atoll.secretMode" -}}
{{ kindIs "invalid" .Values.security.group | ternary "0444" "0440" }}
{{- end }}

{{/* The chart's own variables. */}}
{{- define "atoll.ownEnv" -}}
{{- /* A pod's host name ends with its ordinal, which is its rank; on the node's network HOSTNAME would be the node's. */ -}}
- name: HOSTNAME
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
- name: POD_IP
  valueFrom:
    fieldRef:
      fieldPath: status.podIP
- name: SPRING_CONFIG_ADDITIONAL_LOCATION
  value: file:{{ .Values.configuration.folder }}/
- name: JDK_JAVA_OPTIONS
  value: {{ include "atoll.javaOptions" . | quote }}
{{- end }}

{{- define "atoll.javaOptions" -}}
{{- $heap := .Values.jvm.heap | replace "Mi" "m" | replace "Gi" "g" -}}
-Xms{{ $heap }} -Xmx{{ $heap }}
{{- range .Values.jvm.options }} {{ . }}{{ end }}
{{- end }}

{{/* A name that is there twice is refused by server-side apply, so the chart's own gives way. */}}
{{- define "atoll.env" -}}
{{- $extra := list }}
{{- range .Values.extraEnv }}{{ $extra = append $extra .name }}{{ end }}
{{- $env := list }}
{{- range include "atoll.ownEnv" . | fromYamlArray }}
{{- if not (has .name $extra) }}{{ $env = append $env . }}{{ end }}
{{- end }}
{{- concat $env .Values.extraEnv | toYaml }}
{{- end }}

{{/* The chart's rules for where pods are, below the user's. */}}
{{- define "atoll.affinity" -}}
{{- $own := dict }}
{{- if eq (include "atoll.fabric" .) "shared-memory" }}
{{- $own = include "atoll.sameNode" . | fromYaml }}
{{- else if or .Values.hostNetwork (and (eq (include "atoll.fabric" .) "rdma") (not .Values.rdma.shareNode)) }}
{{- $own = include "atoll.otherNodes" . | fromYaml }}
{{- end }}
{{- $affinity := mergeOverwrite $own (deepCopy .Values.affinity) }}
{{- if $affinity }}{{ toYaml $affinity }}{{ end }}
{{- end }}

{{/* The first pod goes anywhere: the scheduler lets in a pod that would match itself. */}}
{{- define "atoll.sameNode" -}}
podAffinity:
  requiredDuringSchedulingIgnoredDuringExecution:
    - topologyKey: kubernetes.io/hostname
      labelSelector:
        matchLabels:
          {{- include "atoll.rankLabels" . | nindent 10 }}
{{- end }}

{{- define "atoll.otherNodes" -}}
podAntiAffinity:
  requiredDuringSchedulingIgnoredDuringExecution:
    - topologyKey: kubernetes.io/hostname
      labelSelector:
        matchLabels:
          {{- include "atoll.rankLabels" . | nindent 10 }}
{{- end }}

{{- define "atoll.spread" -}}
- topologyKey: {{ .key }}
  maxSkew: 1
  whenUnsatisfiable: {{ .root.Values.topologySpread.whenUnsatisfiable }}
  labelSelector:
    matchLabels:
      {{- include "atoll.rankLabels" .root | nindent 6 }}
{{- end }}

{{- define "atoll.podSpec" -}}
serviceAccountName: {{ include "atoll.serviceAccountName" . }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.rdma.runtimeClassName }}
runtimeClassName: {{ . }}
{{- end }}
{{- if .Values.hostNetwork }}
hostNetwork: true
dnsPolicy: ClusterFirstWithHostNet
{{- end }}
terminationGracePeriodSeconds: {{ .Values.shutdown.graceSeconds }}
securityContext:
  {{- include "atoll.podSecurityContext" . | nindent 2 }}
{{- with include "atoll.affinity" . }}
affinity:
  {{- . | nindent 2 }}
{{- end }}
{{- if and (ne (include "atoll.fabric" .) "shared-memory") (or .Values.topologySpread.host .Values.topologySpread.zone) }}
topologySpreadConstraints:
  {{- if .Values.topologySpread.host }}
  {{- include "atoll.spread" (dict "root" . "key" "kubernetes.io/hostname") | nindent 2 }}
  {{- end }}
  {{- if .Values.topologySpread.zone }}
  {{- include "atoll.spread" (dict "root" . "key" "topology.kubernetes.io/zone") | nindent 2 }}
  {{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- $check := and (eq (include "atoll.fabric" .) "rdma") .Values.rdma.check }}
{{- if or $check .Values.extraInitContainers }}
initContainers:
  {{- if $check }}
  - name: rdma-check
    image: {{ include "atoll.image" (dict "root" . "image" .Values.checks.image) }}
    imagePullPolicy: {{ .Values.checks.image.pullPolicy }}
    args:
      - rdma-check
      - --segment={{ include "atoll.dataSize" .Values.segment }}
    env:
      # It ends at once, so nothing is gained by compiling it twice.
      - name: JDK_JAVA_OPTIONS
        value: -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
    securityContext:
      {{- include "atoll.containerSecurityContext" . | nindent 6 }}
    resources:
      requests:
        cpu: {{ .Values.cpu.request | quote }}
        memory: 256Mi
        {{ .Values.rdma.resource }}: "1"
      limits:
        {{- with .Values.cpu.limit }}
        cpu: {{ . | quote }}
        {{- end }}
        memory: 256Mi
        {{ .Values.rdma.resource }}: "1"
    volumeMounts:
      - name: tmp
        mountPath: /tmp
  {{- end }}
  {{- with .Values.extraInitContainers }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
containers:
  - name: atoll
    image: {{ include "atoll.image" (dict "root" . "image" .Values.image) }}
    imagePullPolicy: {{ .Values.image.pullPolicy }}
    {{- with .Values.command }}
    command:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with .Values.args }}
    args:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    env:
      {{- include "atoll.env" . | nindent 6 }}
    {{- with .Values.extraEnvFrom }}
    envFrom:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    ports:
      - name: http
        containerPort: {{ .Values.ports.http }}
        protocol: TCP
      - name: management
        containerPort: {{ .Values.ports.management }}
        protocol: TCP
      {{- if include "atoll.networked" . }}
      - name: membership
        containerPort: {{ .Values.ports.membership }}
        protocol: TCP
      {{- end }}
      {{- /* On the node's network each port that is named is one of the node, and this one differs from rank to rank. */}}
      {{- if and (eq (include "atoll.fabric" .) "tcp") (not .Values.hostNetwork) }}
      - name: fabric
        containerPort: {{ .Values.ports.fabric }}
        protocol: TCP
      {{- end }}
    {{- /* Neither of these asks for other ranks: one that is missing must not restart the others. */}}
    startupProbe:
      httpGet:
        path: {{ .Values.probes.liveness.path }}
        port: management
      periodSeconds: {{ .Values.probes.startup.periodSeconds }}
      timeoutSeconds: {{ .Values.probes.liveness.timeoutSeconds }}
      failureThreshold: {{ .Values.probes.startup.failureThreshold }}
    livenessProbe:
      httpGet:
        path: {{ .Values.probes.liveness.path }}
        port: management
      periodSeconds: {{ .Values.probes.liveness.periodSeconds }}
      timeoutSeconds: {{ .Values.probes.liveness.timeoutSeconds }}
      failureThreshold: {{ .Values.probes.liveness.failureThreshold }}
    {{- /* This one waits for them. */}}
    readinessProbe:
      httpGet:
        path: {{ .Values.probes.readiness.path }}
        port: management
      periodSeconds: {{ .Values.probes.readiness.periodSeconds }}
      timeoutSeconds: {{ .Values.probes.readiness.timeoutSeconds }}
      failureThreshold: {{ .Values.probes.readiness.failureThreshold }}
    {{- if and .Values.shutdown.preStopSeconds (semverCompare ">=1.30-0" .Capabilities.KubeVersion.Version) }}
    lifecycle:
      preStop:
        sleep:
          seconds: {{ .Values.shutdown.preStopSeconds }}
    {{- end }}
    securityContext:
      {{- include "atoll.containerSecurityContext" . | nindent 6 }}
    resources:
      requests:
        cpu: {{ .Values.cpu.request | quote }}
        memory: {{ include "atoll.memoryRequest" . }}
        {{- with .Values.rdma.resource }}
        {{ . }}: "1"
        {{- end }}
      limits:
        {{- with .Values.cpu.limit }}
        cpu: {{ . | quote }}
        {{- end }}
        memory: {{ include "atoll.memoryLimit" . }}
        {{- with .Values.rdma.resource }}
        {{ . }}: "1"
        {{- end }}
    volumeMounts:
      - name: configuration
        mountPath: {{ .Values.configuration.folder }}
        readOnly: true
      {{- if include "atoll.hasSecrets" . }}
      - name: secret
        mountPath: /etc/atoll/secret
        readOnly: true
      {{- end }}
      {{- if .Values.tls.enabled }}
      - name: tls
        mountPath: /etc/atoll/tls
        readOnly: true
      {{- end }}
      - name: segments
        mountPath: /dev/shm
      {{- $mounted := list }}
      {{- range .Values.extraVolumeMounts }}{{ $mounted = append $mounted .mountPath }}{{ end }}
      {{- if not (has "/tmp" $mounted) }}
      - name: tmp
        mountPath: /tmp
      {{- end }}
      {{- with .Values.extraVolumeMounts }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
  {{- with .Values.extraContainers }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
volumes:
  - name: configuration
    configMap:
      name: {{ include "atoll.fullname" . }}
  {{- if include "atoll.hasSecrets" . }}
  {{- /* Each file is a property. */}}
  - name: secret
    projected:
      defaultMode: {{ include "atoll.secretMode" . }}
      sources:
        {{- if .Values.console.users.enabled }}
        - secret:
            name: {{ include "atoll.usersSecretName" . }}
            items:
              - key: admin
                path: node.users.admin.password
              - key: reader
                path: node.users.reader.password
        {{- end }}
        {{- with .Values.console.oidc.existingSecret }}
        - secret:
            name: {{ . }}
            items:
              - key: client-secret
                path: spring.security.oauth2.client.registration.console.client-secret
        {{- end }}
        {{- if include "atoll.networked" . }}
        - secret:
            name: {{ include "atoll.secretName" . }}
            items:
              - key: fabric
                path: atoll.fabric.{{ include "atoll.fabric" . }}.secret
              - key: membership
                path: atoll.membership.hazelcast.secret
        - secret:
            name: {{ include "atoll.secretName" . }}
            optional: true
            items:
              - key: fabric-previous
                path: atoll.fabric.{{ include "atoll.fabric" . }}.previous-secrets
        {{- end }}
  {{- end }}
  {{- if .Values.tls.enabled }}
  - name: tls
    secret:
      secretName: {{ include "atoll.tlsSecretName" . }}
      defaultMode: {{ include "atoll.secretMode" . }}
  {{- end }}
  - name: segments
    {{- if .Values.sharedMemory.hostPath }}
    hostPath:
      path: {{ .Values.sharedMemory.hostPath }}
      type: Directory
    {{- else }}
    emptyDir:
      medium: Memory
      sizeLimit: {{ include "atoll.sharedMemoryMebibytes" . }}Mi
    {{- end }}
  {{- $volumes := list }}
  {{- range .Values.extraVolumes }}{{ $volumes = append $volumes .name }}{{ end }}
  {{- if not (has "tmp" $volumes) }}
  - name: tmp
    emptyDir: {}
  {{- end }}
  {{- with .Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
