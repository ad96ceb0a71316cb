{{/* The readers: PostgREST on the standbys of database.readers. Only the edge reaches them: docs/scaling.md. */}}

{{- define "finance.readers.command" }}{{ include "finance.data.command" . }}{{ end }}
{{/* Without a standby libpq takes the primary. The listener of PostgREST goes there by itself. */}}
{{- define "finance.readers.environment" -}}
{{- $hosts := printf "%s,%s" .root.Values.database.readers (include "finance.host" .root) -}}
{{- $own := dict "PGHOST" $hosts "PGTARGETSESSIONATTRS" "prefer-standby" "PGAPPNAME" "postgrest-standby" -}}
{{ mergeOverwrite (include "finance.data.environment" . | fromYaml) $own | toYaml }}
{{- end }}

{{/* finance.readers.upstream <$>: the variables of the edge */}}
{{- define "finance.readers.upstream" -}}
{{- if .Values.database.readers }}
{{- $service := (include "finance.services" . | fromYaml).readers -}}
DATA_REPLICAS: {{ include "finance.fullname" . }}-readers:{{ $service.port }}
DATA_REPLICAS_READY_PORT: {{ $service.probes.port }}
{{- end }}
{{- end }}

{{/* finance.postgrest.range <$>: the fewest and the most PostgREST. Without a standby the readers' connections go to the primary. */}}
{{- define "finance.postgrest.range" -}}
{{- $fewest := 0 -}}
{{- $most := 0 -}}
{{- range $component := .Values.database.readers | empty | ternary (list "data") (list "data" "readers") -}}
{{- $range := include "finance.range" (dict "root" $ "component" $component) | splitList "-" -}}
{{- $fewest = add $fewest (first $range | int) -}}
{{- $most = add $most (last $range | int) -}}
{{- end -}}
{{ printf "%d-%d" (int $fewest) (int $most) }}
{{- end }}
