{{/* finance.selector <(dict "root" $ "component" name)>: what finds the pods of a component; it can never change. */}}
{{- define "finance.selector" -}}
app.kubernetes.io/name: finance
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "finance.labels" -}}
{{ include "finance.selector" . }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{/* finance.image <one of .Values.images> */}}
{{- define "finance.image" -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag }}{{ end }}
{{- end }}

{{/* finance.hook <weight>: before anything of a version is there, also on the way back to an older one */}}
{{- define "finance.hook" -}}
helm.sh/hook: pre-install,pre-upgrade,pre-rollback
helm.sh/hook-weight: {{ . | quote }}
helm.sh/hook-delete-policy: before-hook-creation
{{- end }}

{{/* finance.pod <(dict "root" $ "component" name)>: what every pod has */}}
{{- define "finance.pod" -}}
serviceAccountName: {{ .root.Release.Name }}-{{ .component }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* finance.container: what every container has */}}
{{- define "finance.container" -}}
imagePullPolicy: IfNotPresent
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{/* finance.rollout <(dict "root" $ "component" name)>: what both Deployments have beside their containers */}}
{{- define "finance.rollout" -}}
revisionHistoryLimit: 3
progressDeadlineSeconds: 300
strategy:
  rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
selector:
  matchLabels: {{- include "finance.selector" . | nindent 4 }}
{{- end }}

{{/* finance.spread <(dict "root" $ "component" name)>: over zones, and over machines within them */}}
{{- define "finance.spread" -}}
topologySpreadConstraints:
  {{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "finance.selector" $ | nindent 8 }}
  {{- end }}
{{- end }}

{{/* finance.secret <(dict "root" $ "variable" name "key" key [ "secret" name ])>: a variable by reference */}}
{{- define "finance.secret" -}}
- name: {{ .variable }}
  valueFrom:
    secretKeyRef: { name: {{ .secret | default .root.Values.secrets.name | quote }}, key: {{ index .root.Values.secrets.keys .key | quote }} }
{{- end }}

{{/* finance.otel-headers <.>: for a collector that asks for them */}}
{{- define "finance.otel-headers" -}}
{{- if and .Values.settings.OTEL_EXPORTER_OTLP_ENDPOINT .Values.secrets.keys.otelHeaders }}
{{- include "finance.secret" (dict "root" . "variable" "OTEL_EXPORTER_OTLP_HEADERS" "key" "otelHeaders") }}
{{- end }}
{{- end }}

{{/* finance.database <.>: the part of a connection string after the role. Node calls encrypted and not verified no-verify. */}}
{{- define "finance.database" -}}
{{- $tls := dict "disable" "disable" "require" "no-verify" "verify-full" "verify-full&sslrootcert=/etc/database-ca/ca.crt" -}}
{{ .Values.database.host }}:{{ .Values.database.port }}/{{ .Values.database.name }}?sslmode={{ index $tls .Values.database.sslMode }}
{{- end }}

{{- define "finance.ca-mount" -}}
{{- if eq .Values.database.sslMode "verify-full" }}
- { name: database-ca, mountPath: /etc/database-ca, readOnly: true }
{{- end }}
{{- end }}

{{- define "finance.ca-volume" -}}
{{- if eq .Values.database.sslMode "verify-full" }}
- name: database-ca
  configMap:
    name: {{ .Values.database.ca.configMap | quote }}
    items: [{ key: {{ .Values.database.ca.key | quote }}, path: ca.crt }]
{{- end }}
{{- end }}
