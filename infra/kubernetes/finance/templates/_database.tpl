{{/* The database: a server that exists (database.host), or a cluster of CloudNativePG in this namespace (database.cluster). */}}

{{- define "finance.host" -}}
{{- with .Values.database.cluster }}{{ . }}-rw{{ else }}{{ .Values.database.host }}{{ end }}
{{- end }}

{{/* finance.owner <$>: the role that owns the database. The chart of the cluster creates finance. */}}
{{- define "finance.owner" -}}
{{ .Values.database.owner | default (.Values.database.cluster | empty | ternary "postgres" "finance") }}
{{- end }}

{{/* finance.owner.secret and .key <$>: the owner's password. CloudNativePG stores it in a Secret of its own. */}}
{{- define "finance.owner.secret" -}}
{{- .Values.secrets.owner | default (.Values.database.cluster | empty | ternary "" (printf "%s-app" .Values.database.cluster)) }}
{{- end }}
{{- define "finance.owner.key" -}}
{{- if and .Values.database.cluster (not .Values.secrets.owner) }}password{{ else }}{{ .Values.secrets.keys.ownerPassword }}{{ end }}
{{- end }}

{{- define "finance.sslMode" -}}
{{ .Values.database.cluster | empty | ternary .Values.database.sslMode "verify-full" }}
{{- end }}

{{/* finance.ca <$>: the source of the volume with the certificates that verify the server */}}
{{- define "finance.ca" -}}
{{- with .Values.database.cluster -}}
secret: { secretName: {{ . }}-ca, items: [{ key: ca.crt, path: ca.crt }] }
{{- else -}}
configMap:
  name: {{ .Values.database.ca.configMap | quote }}
  items: [{ key: {{ .Values.database.ca.key | quote }}, path: ca.crt }]
{{- end }}
{{- end }}

{{/* finance.database.peers <$>: the database and its standbys, in the format of a NetworkPolicy */}}
{{- define "finance.database.peers" -}}
{{- if .Values.networkPolicy.database }}{{ toYaml .Values.networkPolicy.database }}{{ else -}}
- podSelector: { matchLabels: { cnpg.io/cluster: {{ .Values.database.cluster }} } }
{{- end }}
{{- end }}

{{/* finance.checked <$>: fails if the values of the database contradict each other */}}
{{- define "finance.checked" -}}
{{- $database := .Values.database -}}
{{- if and $database.cluster (or $database.host $database.ca.configMap (ne (int $database.port) 5432)) }}
{{- fail "database.cluster: the chart knows host, port and certificate of the cluster. Remove database.host, database.port and database.ca, or remove database.cluster." }}
{{- end }}
{{- if and $database.readers (hasPrefix "v12.0" .Values.images.postgrest.tag) }}
{{- fail "database.readers: PostgREST 12.0 cannot listen on a standby. Use 12.2 or 16." }}
{{- end }}
{{- if and $database.readers (eq $database.readers (include "finance.host" .)) }}
{{- fail (printf "database.readers: '%s' is the primary. Name the address of the standbys, such as <cluster>-ro." $database.readers) }}
{{- end }}
{{- end }}
