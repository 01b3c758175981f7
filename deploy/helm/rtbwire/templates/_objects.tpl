{{/* The objects that the gateway and the stream both have. */}}

{{- define "rtbwire.configmap" -}}
# A changed map reaches the files in a minute or so; they are then loaded again, and the old ones
# kept if there are mistakes.
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .fullname }}
  labels:
    {{- include "rtbwire.labels" . | nindent 4 }}
data:
  rtbwire.yaml: |
    {{- .values.config | nindent 4 }}
  {{- range $name, $text := .values.files }}
  {{ $name }}: |
    {{- $text | nindent 4 }}
  {{- end }}
{{- end -}}

{{- define "rtbwire.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .fullname }}
  labels:
    {{- include "rtbwire.labels" . | nindent 4 }}
spec:
  # No number of replicas: the autoscaler has it.
  selector:
    matchLabels:
      {{- include "rtbwire.selector" . | nindent 6 }}
  strategy:
    {{- toYaml .values.strategy | nindent 4 }}
  template:
    metadata:
      labels:
        {{- include "rtbwire.labels" . | nindent 8 }}
      {{- with .values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      automountServiceAccountToken: false
      enableServiceLinks: false
      terminationGracePeriodSeconds: {{ .values.terminationGracePeriodSeconds }}
      {{- with .root.Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      securityContext:
        runAsNonRoot: true
        runAsUser: 65532
        runAsGroup: 65532
        fsGroup: 65532
        seccompProfile: {type: RuntimeDefault}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: topology.kubernetes.io/zone
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "rtbwire.selector" . | nindent 14 }}
      affinity:
        podAntiAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
            - weight: 100
              podAffinityTerm:
                topologyKey: kubernetes.io/hostname
                labelSelector:
                  matchLabels:
                    {{- include "rtbwire.selector" . | nindent 20 }}
      containers:
        - name: {{ .app }}
          image: {{ include "rtbwire.image" .root }}
          imagePullPolicy: {{ .root.Values.image.pullPolicy }}
          args: [{{ .verb }}, --config, /etc/rtbwire/rtbwire.yaml]
          {{- with .values.env }}
          env:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          ports:
            {{- if eq .verb "serve" }}
            - {name: http, containerPort: 8080}
            {{- end }}
            - {name: admin, containerPort: 8081}
          resources:
            {{- toYaml .values.resources | nindent 12 }}
          startupProbe:
            httpGet: {path: /healthz, port: admin}
            periodSeconds: 1
            failureThreshold: 60
          # Whether the process answers at all.
          livenessProbe:
            httpGet: {path: /healthz, port: admin}
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            {{- if eq .verb "serve" }}
            # Whether requests should be sent here: asked where requests are taken.
            httpGet: {path: /status, port: http}
            {{- else }}
            # Whether it is a member of its group: a rollout waits for that.
            httpGet: {path: /readyz, port: admin}
            {{- end }}
            periodSeconds: 2
            timeoutSeconds: 2
            failureThreshold: 2
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            runAsNonRoot: true
            runAsUser: 65532
            runAsGroup: 65532
            capabilities: {drop: [ALL]}
          volumeMounts:
            - {name: config, mountPath: /etc/rtbwire, readOnly: true}
            - {name: admin, mountPath: /run/secrets/rtbwire-admin, readOnly: true}
            {{- with .values.extraVolumeMounts }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
      volumes:
        # The whole folder is mounted: files mounted one by one never change.
        - name: config
          configMap: {name: {{ .fullname }}}
        - name: admin
          secret: {secretName: {{ .root.Values.adminSecret }}, defaultMode: 0440}
        {{- with .values.extraVolumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
{{- end -}}

{{/* One name with the address of every pod, for Prometheus (deploy/prometheus/prometheus.yaml). */}}
{{- define "rtbwire.admin" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ .fullname }}-admin
  labels:
    {{- include "rtbwire.labels" . | nindent 4 }}
spec:
  clusterIP: None
  publishNotReadyAddresses: true
  selector:
    {{- include "rtbwire.selector" . | nindent 4 }}
  ports:
    - {name: admin, port: 8081, targetPort: admin}
{{- end -}}

{{- define "rtbwire.disruption" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .fullname }}
  labels:
    {{- include "rtbwire.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      {{- include "rtbwire.selector" . | nindent 6 }}
{{- end -}}

{{- define "rtbwire.autoscaling" -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ .fullname }}
  labels:
    {{- include "rtbwire.labels" . | nindent 4 }}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: {{ .fullname }}}
  minReplicas: {{ .values.autoscaling.minReplicas }}
  maxReplicas: {{ .values.autoscaling.maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target: {type: Utilization, averageUtilization: {{ .values.autoscaling.averageUtilization }}}
  behavior:
    {{- toYaml .values.autoscaling.behavior | nindent 4 }}
{{- end -}}

{{- define "rtbwire.network" -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ .fullname }}
  labels:
    {{- include "rtbwire.labels" . | nindent 4 }}
spec:
  podSelector:
    matchLabels:
      {{- include "rtbwire.selector" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
  ingress:
    {{- toYaml .values.network.ingress | nindent 4 }}
  egress:
    {{- toYaml .values.network.egress | nindent 4 }}
{{- end -}}

{{/* All of them. */}}
{{- define "rtbwire.objects" -}}
{{ include "rtbwire.configmap" . }}
---
{{ include "rtbwire.deployment" . }}
---
{{ include "rtbwire.admin" . }}
---
{{ include "rtbwire.disruption" . }}
---
{{ include "rtbwire.autoscaling" . }}
{{- if .values.network.enabled }}
---
{{ include "rtbwire.network" . }}
{{- end }}
{{- end -}}
