{{/* database.name <$>: the name of the cluster. CloudNativePG appends -rw, -ro and a number. */}}
{{- define "database.name" -}}
{{- if not (regexMatch "^[a-z]([a-z0-9-]{0,48}[a-z0-9])?$" .Release.Name) }}
{{- fail (printf "The release's name '%s' is the name of the cluster. Set one of at most 50 small letters, digits and hyphens, with a letter at its start." .Release.Name) }}
{{- end -}}
{{- .Release.Name -}}
{{- end }}

{{/* database.meta <$>: name, labels and annotations of every object. Helm keeps them all at an uninstall: docs/kubernetes.md. */}}
{{- define "database.meta" -}}
name: {{ include "database.name" . }}
labels:
  app.kubernetes.io/name: finance-database
  app.kubernetes.io/instance: {{ .Release.Name }}
  app.kubernetes.io/managed-by: {{ .Release.Service }}
  helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
annotations:
  helm.sh/resource-policy: keep
{{- end }}

{{/* database.pods <$>: the pods of the cluster and of its jobs, as a selector */}}
{{- define "database.pods" -}}
{ matchLabels: { cnpg.io/cluster: {{ include "database.name" . }} } }
{{- end }}

{{/* database.plugin: the name of the operator's plugin for backups */}}
{{- define "database.plugin" }}barman-cloud.cloudnative-pg.io{{ end }}
