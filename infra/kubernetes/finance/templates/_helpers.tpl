{{/* The folder of the secrets' files. It is below /run/secrets, so that a cluster can mount its own tokens beside it. */}}
{{- define "finance.folder" }}/run/secrets/finance{{ end }}

{{/*
finance.fullname <$>: the beginning of every object's name. A cluster refuses a Service whose name begins with a digit, has a dot or is
longer than 63 characters. The longest suffix is "-postgrest".
*/}}
{{- define "finance.fullname" -}}
{{- $default := .Values.nameOverride | empty | ternary .Release.Name (printf "%s-%s" .Release.Name .Values.nameOverride) -}}
{{- $name := .Values.fullnameOverride | default $default -}}
{{- if not (regexMatch "^[a-z]([a-z0-9-]{0,51}[a-z0-9])?$" $name) }}
{{- fail (printf "fullnameOverride: the names of the objects would begin with '%s'. Set a beginning of at most 53 small letters, digits and hyphens, with a letter at its start." $name) }}
{{- end -}}
{{- $name -}}
{{- end }}

{{/* finance.name <(dict "root" $ "component" name)>: the name of an object of a component */}}
{{- define "finance.name" -}}
{{ include "finance.fullname" .root }}-{{ .component }}
{{- end }}

{{/*
finance.choice <(dict "root" $ "component" name "field" name)>: {"value": …}, what values.yaml has for all pods and for those of the
component. The component's entries win in a map, and follow in a list.
*/}}
{{- define "finance.choice" -}}
{{- $all := get .root.Values .field -}}
{{- $own := get (get .root.Values .component | default dict) .field -}}
{{- $value := $own | default $all -}}
{{- if kindIs "slice" $all -}}{{ $value = concat $all ($own | default list) }}{{- end -}}
{{- if kindIs "map" $all -}}{{ $value = mergeOverwrite (deepCopy $all) ($own | default dict) }}{{- end -}}
{{ dict "value" $value | toJson }}
{{- end }}

{{/* finance.selector <(dict "root" $ "component" name)>: the labels that select the pods of a component. They can never change. */}}
{{- define "finance.selector" -}}
app.kubernetes.io/name: {{ .root.Values.nameOverride | default "finance" }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "finance.labels" -}}
{{ include "finance.selector" . }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
{{- end }}

{{/* finance.meta <(dict "root" $ "component" name)>: name, labels and annotations of an object; "name", "labels" and "annotations" are optional */}}
{{- define "finance.meta" -}}
name: {{ .name | default (include "finance.name" .) }}
labels: {{- merge (include "finance.labels" . | fromYaml) (.labels | default dict) | toYaml | nindent 2 }}
{{- $annotations := (include "finance.choice" (dict "root" .root "component" .component "field" "annotations") | fromJson).value }}
{{- with mergeOverwrite $annotations (.annotations | default dict) }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* finance.hook <weight>: creates the object before all others of a version, also in a rollback */}}
{{- define "finance.hook" -}}
helm.sh/hook: pre-install,pre-upgrade,pre-rollback
helm.sh/hook-weight: {{ . | quote }}
helm.sh/hook-delete-policy: before-hook-creation
{{- end }}

{{/* finance.account <(dict "root" $ "component" name)>: create, name and annotations of a component's service account */}}
{{- define "finance.account" -}}
{{- $account := (include "finance.choice" (dict "root" .root "component" .component "field" "serviceAccount") | fromJson).value }}
{{- if and .root.Values.serviceAccount.name $account.create }}
{{- fail "serviceAccount.name: one account of yours for all pods needs serviceAccount.create=false. Otherwise name it in edge, auth, data, readers, realtime or migrate." }}
{{- end }}
{{- $files := has .component (list "auth" "migrate") | ternary .root.Values.files.serviceAccountAnnotations dict }}
{{- $name := $account.name | default ($account.create | ternary (include "finance.name" .) "default") }}
{{- $all := .root.Values.serviceAccount }}
{{- $own := get (get .root.Values .component | default dict) "serviceAccount" | default dict }}
{{- if and (not $account.create) (or $files $own.annotations (and $all.annotations (not $all.create))) }}
{{- fail (printf "%s: the chart does not create the account '%s' (serviceAccount.create), so annotate it yourself." ($files | empty | ternary "serviceAccount.annotations" "files.serviceAccountAnnotations") $name) }}
{{- end }}
create: {{ $account.create }}
name: {{ $name }}
annotations: {{ merge $account.annotations $files | toJson }}
{{- end }}

{{/* finance.podmeta <(dict "root" $ "component" name)>: labels and annotations of a pod. The labels of the selectors stay the chart's. */}}
{{- define "finance.podmeta" -}}
{{- $selector := include "finance.selector" . | fromYaml }}
{{- $labels := (include "finance.choice" (dict "root" .root "component" .component "field" "podLabels") | fromJson).value }}
{{- range $name := keys $selector }}
{{- if hasKey $labels $name }}{{ fail (printf "podLabels: '%s' not allowed. Services and network policies select pods by it." $name) }}{{ end }}
{{- end }}
labels: {{- merge $labels $selector | toYaml | nindent 2 }}
{{- $annotations := (include "finance.choice" (dict "root" .root "component" .component "field" "podAnnotations") | fromJson).value }}
{{- with mergeOverwrite $annotations (.annotations | default dict) }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* finance.pod <(dict "root" $ "component" name)>: everything of a pod but its containers */}}
{{- define "finance.pod" -}}
serviceAccountName: {{ (include "finance.account" (eq .component "test" | ternary (dict "root" .root "component" "edge") .) | fromYaml).name }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- range $field := list "nodeSelector" "affinity" "tolerations" "priorityClassName" }}
{{- with (include "finance.choice" (dict "root" $.root "component" $.component "field" $field) | fromJson).value }}
{{ $field }}: {{- kindIs "string" . | ternary (printf " %s" (toJson .)) (toYaml . | nindent 2) }}
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
      {{- $secret := and (eq $file "OWNER_PASSWORD") (include "finance.owner.secret" $.root) | default $.root.Values.secrets.name }}
      - secret: { name: {{ $secret | quote }}, items: [{ key: {{ $key | quote }}, path: {{ $file }} }] }
      {{- end }}
{{- end }}
{{- if and (eq (include "finance.sslMode" .root) "verify-full") (has .component (list "auth" "data" "readers" "migrate" "realtime")) }}
- name: database-ca
  {{- include "finance.ca" .root | nindent 2 }}
{{- end }}
{{- if has .component (list "data" "readers") }}
- { name: postgrest-conf, configMap: { name: {{ include "finance.fullname" .root }}-postgrest } }
{{- end }}
{{- if eq .component "auth" }}
- { name: tmp, emptyDir: { medium: Memory, sizeLimit: 16Mi } }
{{- end }}
{{- $names := list "secrets" "database-ca" "postgrest-conf" "tmp" }}
{{- range (include "finance.choice" (dict "root" .root "component" .component "field" "extraVolumes") | fromJson).value }}
{{- if has .name $names }}{{ fail (printf "extraVolumes: '%s' not allowed. Another volume of the pod has this name." .name) }}{{ end }}
{{- $names = append $names .name }}
- {{ toJson . }}
{{- end }}
{{- end }}

{{/* finance.container <(dict "root" $ "component" name)>: everything of a container but its probes */}}
{{- define "finance.container" -}}
{{- $values := .root.Values }}
{{- $image := index $values.images (has .component (list "data" "readers") | ternary "postgrest" "auth") }}
{{- $secrets := include "finance.secrets" . | fromYaml }}
{{- $environment := include (printf "finance.%s.environment" .component) . | fromYaml -}}
name: {{ .component }}
image: {{ printf "%s%s" $image.repository ($image.digest | empty | ternary (printf ":%s" $image.tag) (printf "@%s" $image.digest)) | quote }}
imagePullPolicy: IfNotPresent
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
resources: {{- toYaml (get $values (eq .component "test" | ternary "migrate" .component)).resources | nindent 2 }}
volumeMounts: {{- include "finance.mounts" . | trim | default "[]" | nindent 2 }}
command: {{ include (printf "finance.%s.command" .component) . }}
env:
  {{- range $name, $value := $environment }}
  - { name: {{ $name }}, value: {{ $value | toString | quote }} }
  {{- end }}
  {{- if not (has .component (list "data" "readers")) }}
  {{- range $file, $_ := $secrets }}
  - { name: {{ $file }}_FILE, value: {{ include "finance.folder" . }}/{{ $file }} }
  {{- end }}
  {{- end }}
  {{- range (include "finance.choice" (dict "root" .root "component" .component "field" "extraEnv") | fromJson).value }}
  {{- include "finance.allowed" (dict "root" $.root "name" .name "environment" $environment) }}
  - {{ toJson . }}
  {{- end }}
{{- if not (has .component (list "data" "readers")) }}
{{- with (include "finance.choice" (dict "root" .root "component" .component "field" "extraEnvFrom") | fromJson).value }}
envFrom: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{/*
finance.allowed <(dict "root" $ "name" name "environment" dict)>: fails if extraEnv has a variable of the chart, a setting, a secret or a
variable of the database's connection. These have values of their own, which the chart checks.
*/}}
{{- define "finance.allowed" -}}
{{- $plain := trimSuffix "_FILE" .name }}
{{- $own := list "AUTH_SERVES_REALTIME" "REALTIME_UPSTREAM" "AUTH_SERVICE_PASSWORD" "BETTER_AUTH_SECRET" "RESEND_API_KEY" "SMTP_URL" "AUTHENTICATOR_PASSWORD" "OWNER_PASSWORD" "DATABASE_URL" }}
{{- if or (hasKey .environment $plain) (hasKey (.root.Files.Get "files/settings.json" | fromJson) $plain) (has $plain $own) (hasPrefix "PG" $plain) (eq $plain "NODE_TLS_REJECT_UNAUTHORIZED") }}
{{- fail (printf "extraEnv: '%s' not allowed. Use the value of the chart for it, settings or secrets.keys." .name) }}
{{- end }}
{{- end }}

{{- define "finance.mounts" -}}
{{- if include "finance.secrets" . | trim }}
- { name: secrets, mountPath: {{ include "finance.folder" . }}, readOnly: true }
{{- end }}
{{- if and (eq (include "finance.sslMode" .root) "verify-full") (has .component (list "auth" "data" "readers" "migrate" "realtime")) }}
- { name: database-ca, mountPath: /etc/database-ca, readOnly: true }
{{- end }}
{{- if has .component (list "data" "readers") }}
- { name: postgrest-conf, mountPath: /etc/postgrest, readOnly: true }
{{- end }}
{{- if eq .component "auth" }}
- { name: tmp, mountPath: /tmp }
{{- end }}
{{- $volumes := include "finance.volumes" . | fromYamlArray }}
{{- $names := list }}
{{- range $volumes }}{{ $names = append $names .name }}{{ end }}
{{- range (include "finance.choice" (dict "root" .root "component" .component "field" "extraVolumeMounts") | fromJson).value }}
{{- $path := printf "%s/" (trimSuffix "/" .mountPath) }}
{{- range $reserved := list "/app/" "/bin/" "/certificates/" "/etc/database-ca/" "/etc/postgrest/" "/lib/" "/lib64/" (printf "%s/" (include "finance.folder" .)) "/tmp/" "/usr/" (printf "/var%s/" (include "finance.folder" .)) }}
{{- if or (hasPrefix $reserved $path) (hasPrefix $path $reserved) }}{{ fail (printf "extraVolumeMounts: '%s' not allowed. It would hide %s of the chart or of the image." $path $reserved) }}{{ end }}
{{- end }}
{{- if not (has .name $names) }}{{ fail (printf "extraVolumeMounts: there is no volume '%s'. Add it to extraVolumes." .name) }}{{ end }}
- {{ toJson . }}
{{- end }}
{{- end }}

{{/* finance.database <.>: a connection URL without its role. Node's name for encryption without verification is no-verify. */}}
{{- define "finance.database" -}}
{{- $tls := dict "disable" "disable" "require" "no-verify" "verify-full" "verify-full&sslrootcert=/etc/database-ca/ca.crt" -}}
{{ include "finance.host" . }}:{{ .Values.database.port }}/{{ .Values.database.name }}?sslmode={{ index $tls (include "finance.sslMode" .) }}
{{- end }}
