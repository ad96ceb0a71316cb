{{/* finance.selector <(dict "root" $ "component" name)>: the labels that select the pods of a component. They can never change. */}}
{{- define "finance.selector" -}}
app.kubernetes.io/name: finance
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "finance.labels" -}}
{{ include "finance.selector" . }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
{{- end }}

{{/* finance.meta <(dict "root" $ "component" name)>: the name and the labels of an object of a component */}}
{{- define "finance.meta" -}}
name: {{ .root.Release.Name }}-{{ .component }}
labels: {{- include "finance.labels" . | nindent 2 }}
{{- end }}

{{/* finance.hook <weight>: creates the object before all others of a version, also in a rollback */}}
{{- define "finance.hook" -}}
helm.sh/hook: pre-install,pre-upgrade,pre-rollback
helm.sh/hook-weight: {{ . | quote }}
helm.sh/hook-delete-policy: before-hook-creation
{{- end }}

{{/* finance.account <(dict "root" $ "component" name)>: the annotations of a component's service account, such as a role that reads files */}}
{{- define "finance.account" -}}
{{- if has .component (list "auth" "migrate") }}{{ with .root.Values.files.serviceAccountAnnotations }}{{ toYaml . }}{{ end }}{{ end }}
{{- end }}

{{/* finance.pod <(dict "root" $ "component" name)>: everything of a pod but its containers */}}
{{- define "finance.pod" -}}
serviceAccountName: {{ .root.Release.Name }}-{{ .component }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- range $field := list "imagePullSecrets" "nodeSelector" "tolerations" }}
{{- with index $.root.Values $field }}
{{ $field }}: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
volumes: {{- include "finance.volumes" . | trim | default "[]" | nindent 2 }}
{{- end }}

{{- define "finance.volumes" -}}
{{- with include "finance.secrets" . | fromYaml }}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      {{- range $file, $key := . }}
      {{- $secret := and (eq $file "OWNER_PASSWORD") $.root.Values.secrets.owner | default $.root.Values.secrets.name }}
      - secret: { name: {{ $secret | quote }}, items: [{ key: {{ $key | quote }}, path: {{ $file }} }] }
      {{- end }}
{{- end }}
{{- if and (eq .root.Values.database.sslMode "verify-full") (ne .component "edge") }}
- name: database-ca
  configMap:
    name: {{ .root.Values.database.ca.configMap | quote }}
    items: [{ key: {{ .root.Values.database.ca.key | quote }}, path: ca.crt }]
{{- end }}
{{- if eq .component "data" }}
- { name: postgrest-conf, configMap: { name: {{ .root.Release.Name }}-postgrest } }
{{- end }}
{{- if eq .component "auth" }}
- { name: tmp, emptyDir: { medium: Memory, sizeLimit: 16Mi } }
{{- end }}
{{- end }}

{{/* finance.container <(dict "root" $ "component" name)>: everything of a container but its probes */}}
{{- define "finance.container" -}}
{{- $values := .root.Values }}
{{- $image := index $values.images (eq .component "data" | ternary "postgrest" "auth") }}
{{- $secrets := include "finance.secrets" . | fromYaml -}}
name: {{ .component }}
image: {{ printf "%s%s" $image.repository ($image.digest | empty | ternary (printf ":%s" $image.tag) (printf "@%s" $image.digest)) | quote }}
imagePullPolicy: IfNotPresent
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
resources: {{- toYaml (index $values .component).resources | nindent 2 }}
volumeMounts: {{- include "finance.mounts" . | trim | default "[]" | nindent 2 }}
command: {{ include (printf "finance.%s.command" .component) . }}
env:
  {{- range $name, $value := include (printf "finance.%s.environment" .component) . | fromYaml }}
  - { name: {{ $name }}, value: {{ $value | toString | quote }} }
  {{- end }}
  {{- if ne .component "data" }}
  {{- range $file, $_ := $secrets }}
  - { name: {{ $file }}_FILE, value: /run/secrets/{{ $file }} }
  {{- end }}
  {{- end }}
{{- end }}

{{- define "finance.mounts" -}}
{{- if include "finance.secrets" . | trim }}
- { name: secrets, mountPath: /run/secrets, readOnly: true }
{{- end }}
{{- if and (eq .root.Values.database.sslMode "verify-full") (ne .component "edge") }}
- { name: database-ca, mountPath: /etc/database-ca, readOnly: true }
{{- end }}
{{- if eq .component "data" }}
- { name: postgrest-conf, mountPath: /etc/postgrest, readOnly: true }
{{- end }}
{{- if eq .component "auth" }}
- { name: tmp, mountPath: /tmp }
{{- end }}
{{- end }}

{{/* finance.database <.>: a connection URL without its role. Node's name for encryption without verification is no-verify. */}}
{{- define "finance.database" -}}
{{- $tls := dict "disable" "disable" "require" "no-verify" "verify-full" "verify-full&sslrootcert=/etc/database-ca/ca.crt" -}}
{{ .Values.database.host }}:{{ .Values.database.port }}/{{ .Values.database.name }}?sslmode={{ index $tls .Values.database.sslMode }}
{{- end }}
