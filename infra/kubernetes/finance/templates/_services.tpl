{{/*
finance.services: the port of each service, the port and paths of its probes, and the seconds that a stopping pod still accepts requests.
An ingress controller notices within five seconds that an edge stops. A DNS response with a pod's address may be cached for thirty.
*/}}
{{- define "finance.services" -}}
edge: { port: 8080, probes: { port: 9180, live: /livez, ready: /readyz }, sleep: 5 }
auth: { port: 3000, probes: { port: 3000, live: /livez, ready: /readyz }, sleep: 35 }
data: { port: 3000, probes: { port: 3001, live: /live, ready: /ready }, sleep: 35 }
realtime: { port: 3000, probes: { port: 3000, live: /livez, ready: /readyz }, sleep: 35 }
readers: { port: 3000, probes: { port: 3001, live: /live, ready: /ready }, sleep: 35 }
{{- end }}

{{/*
finance.enabled <$>: the services of this release. Without realtime.enabled the auth service does the work of realtime. The readers need
database.readers.
*/}}
{{- define "finance.enabled" -}}
{{- $services := include "finance.services" . | fromYaml }}
{{- if not .Values.realtime.enabled }}{{ $services = omit $services "realtime" }}{{ end }}
{{- if not .Values.database.readers }}{{ $services = omit $services "readers" }}{{ end }}
{{- toYaml $services }}
{{- end }}

{{/* finance.secrets <(dict "root" $ "component" name)>: the secrets of a component: file names, each with its key in the Secret */}}
{{- define "finance.secrets" -}}
{{- $keys := .root.Values.secrets.keys -}}
{{- $offered := .root.Files.Get "files/settings.json" | fromJson }}
{{- range $name, $key := $keys }}
{{- if eq $name (upper $name) }}
{{- $setting := index $offered $name | default dict }}
{{- if not $setting.secret }}{{ fail (printf "secrets.keys: '%s' not allowed" $name) }}{{ end }}
{{- if has $.component $setting.services }}
{{ $name }}: {{ $key }}
{{- end }}
{{- end }}
{{- end }}
{{- if has .component (list "auth" "migrate" "realtime") }}
AUTH_SERVICE_PASSWORD: {{ $keys.authServicePassword }}
# The migration refuses a database if this secret does not decrypt its signing keys.
BETTER_AUTH_SECRET: {{ $keys.betterAuthSecret }}
{{- end }}
{{- if eq .component "auth" }}
{{ eq .root.Values.mail.provider "smtp" | ternary "SMTP_URL" "RESEND_API_KEY" }}: {{ $keys.mail }}
{{- end }}
{{- if has .component (list "data" "readers" "migrate") }}
AUTHENTICATOR_PASSWORD: {{ $keys.authenticatorUrl }}
{{- end }}
{{- if eq .component "migrate" }}
OWNER_PASSWORD: {{ include "finance.owner.key" .root }}
{{- end }}
{{- end }}

{{/* The command and the variables of each component. Secrets are not variables but files: finance.secrets. */}}
{{- define "finance.settings" -}}
{{- $offered := .root.Files.Get "files/settings.json" | fromJson }}
{{- range $name, $value := .root.Values.settings }}
{{- $setting := index $offered $name | default (dict "secret" true) }}
{{- if $setting.secret }}{{ fail (printf "settings: '%s' not allowed" $name) }}{{ end }}
{{- if and $setting.values (not (has (toString $value) $setting.values)) }}{{ fail (printf "settings.%s: must be one of %s" $name (join ", " $setting.values)) }}{{ end }}
{{- if has $.component $setting.services }}
{{- /* Helm reads each number as a float, of which toString writes 5000000 as 5e+06. */}}
{{ $name }}: {{ kindIs "float64" $value | ternary (int64 $value) $value | toString | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- define "finance.node.environment" -}}
{{ include "finance.settings" . }}
{{ include "finance.verified" . }}
NODE_ENV: production
HOST: 0.0.0.0
PUBLIC_URL: {{ .root.Values.publicUrl | quote }}
PORT: {{ (index (include "finance.services" . | fromYaml) .component).port }}
{{- end }}

{{/* The heap is half of the limit: outside it Node needs buffers and, in auth, 32 MiB for each password that it hashes. */}}
{{- define "finance.edge.command" }}[node, --max-old-space-size-percentage=50, edge/main.ts]{{ end }}
{{- define "finance.edge.environment" -}}
{{- $services := include "finance.services" . | fromYaml -}}
{{ include "finance.node.environment" . }}
EDGE_ADMIN_PORT: {{ $services.edge.probes.port }}
AUTH_UPSTREAM: http://{{ include "finance.fullname" .root }}-auth:{{ $services.auth.port }}
{{- if .root.Values.realtime.enabled }}
REALTIME_UPSTREAM: http://{{ include "finance.fullname" .root }}-realtime:{{ $services.realtime.port }}
{{- end }}
POSTGREST_UPSTREAM: http://{{ include "finance.fullname" .root }}-data:{{ $services.data.port }}
POSTGREST_READY_PORT: {{ $services.data.probes.port }}
TRUSTED_PROXIES: {{ join "," .root.Values.trustedProxies | quote }}
DATA_BODY_LIMIT: {{ int .root.Values.dataBodyLimit | quote }}
# A user's requests use a share of PostgREST's connections at once. Each edge has its part of the pool.
PGRST_DB_POOL: {{ int .root.Values.database.pool }}
EDGE_REPLICAS: {{ include "finance.range" . }}
{{ include "finance.readers.upstream" .root }}
{{- end }}

{{- define "finance.auth.command" }}[node, --max-old-space-size-percentage=50, auth/main.ts]{{ end }}
{{- define "finance.auth.environment" -}}
{{ include "finance.node.environment" . }}
{{ include "finance.commands" . }}
DATA_URL: {{ printf "%s/data" .root.Values.publicUrl | quote }}
{{ include "finance.identity.environment" . }}
MAIL_FROM: {{ .root.Values.mail.from | quote }}
{{- if .root.Values.realtime.enabled }}
AUTH_SERVES_REALTIME: false
{{- end }}
{{- end }}

{{/* Live streams, webhooks and calendars. It reads sessions and tokens as the auth service does. */}}
{{- define "finance.realtime.command" }}[node, --max-old-space-size-percentage=50, realtime/main.ts]{{ end }}
{{- define "finance.realtime.environment" -}}
{{ include "finance.node.environment" . }}
{{ include "finance.commands" . }}
{{ include "finance.identity.environment" . }}
{{- end }}

{{/* The variables of the auth service and of realtime. */}}
{{- define "finance.identity.environment" -}}
{{- if not .root.Values.settings.APP_DIR }}
# Links in mails lead to the reference app, which the edge serves.
APP_DIR: /app/app/dist
{{- end }}
AUTH_DATABASE_URL: {{ printf "postgresql://auth_service@%s" (include "finance.database" .root) | quote }}
TRUSTED_PROXIES: {{ join "," .root.Values.podRanges | quote }}
{{- end }}

{{/* Keeps Node's verification of certificates. A variable of extraEnvFrom could turn it off, and Helm cannot read its source. */}}
{{- define "finance.verified" }}NODE_TLS_REJECT_UNAUTHORIZED: 1{{ end }}

{{/* The commands that messages suggest to the operator. */}}
{{- define "finance.commands" -}}
ADMIN_COMMAND: infra/kubernetes/admin
MIGRATE_COMMAND: helm upgrade
{{- end }}

{{- define "finance.data.command" }}[/bin/postgrest, /etc/postgrest/postgrest.conf]{{ end }}
{{- define "finance.data.environment" -}}
{{- $database := .root.Values.database -}}
{{- $service := (include "finance.services" . | fromYaml).data -}}
# The file contains a URL with the role and its password. libpq reads the other parts from the variables below.
PGRST_DB_URI: "@{{ include "finance.folder" . }}/AUTHENTICATOR_PASSWORD"
PGHOST: {{ include "finance.host" .root | quote }}
PGPORT: {{ int $database.port }}
PGDATABASE: {{ $database.name | quote }}
PGUSER: authenticator
PGSSLMODE: {{ include "finance.sslMode" .root | quote }}
{{- if eq (include "finance.sslMode" .root) "verify-full" }}
PGSSLROOTCERT: /etc/database-ca/ca.crt
{{- end }}
PGRST_SERVER_HOST: "!4"
PGRST_SERVER_PORT: {{ $service.port }}
PGRST_ADMIN_SERVER_PORT: {{ $service.probes.port }}
PGRST_OPENAPI_SERVER_PROXY_URI: {{ printf "%s/data" .root.Values.publicUrl | quote }}
PGRST_DB_POOL: {{ int $database.pool }}
PGRST_LOG_LEVEL: {{ .root.Values.data.logLevel | quote }}
PGRST_JWT_CACHE_MAX_ENTRIES: {{ int .root.Values.data.jwtCacheEntries }}
# one runtime thread, otherwise clients wait unevenly: docs/decisions/postgrest.md#postgrest-runs-on-one-thread-of-haskells-runtime-otherwise-with-default-options
GHCRTS: -N1
{{- end }}

{{- define "finance.migrate.command" }}[node, infra/docker/migrate.ts]{{ end }}
{{- define "finance.migrate.environment" -}}
{{- $values := .root.Values -}}
{{ include "finance.settings" . }}
{{ include "finance.commands" . }}
{{ include "finance.verified" . }}
PUBLIC_URL: {{ $values.publicUrl | quote }}
DATABASE_URL: {{ printf "postgresql://%s@%s" (include "finance.owner" .root) (include "finance.database" .root) | quote }}
# The migration fails if the database has too few connections for the minimum number of pods.
PGRST_DB_POOL: {{ int $values.database.pool }}
AUTH_REPLICAS: {{ include "finance.range" (dict "root" .root "component" "auth") }}
POSTGREST_REPLICAS: {{ include "finance.postgrest.range" .root }}
{{- if $values.realtime.enabled }}
REALTIME_REPLICAS: {{ include "finance.range" (dict "root" .root "component" "realtime") }}
{{- end }}
{{- end }}

{{/* finance.range <(dict "root" $ "component" name)>: the fewest and the most pods, such as 2-6; without autoscaling the fewest */}}
{{- define "finance.range" -}}
{{- $replicas := (get .root.Values .component).replicas }}
{{- $scales := (include "finance.choice" (dict "root" .root "component" .component "field" "autoscaling") | fromJson).value.enabled -}}
{{ printf "%d-%d" (int $replicas.minimum) ($scales | ternary (int $replicas.maximum) (int $replicas.minimum)) }}
{{- end }}

{{/*
finance.connections <$>: the most connections to the database, with one pod more of each during a rollout. A process of auth or realtime has
up to 20, and PostgREST has one more than its pool: start/connection-limits.ts.
*/}}
{{- define "finance.connections" -}}
{{- $postgrest := add 1 (int .Values.database.pool) }}
{{- $held := dict "auth" 20 "data" $postgrest "readers" $postgrest "realtime" 20 }}
{{- $sum := 0 }}
{{- range $component := omit (include "finance.enabled" . | fromYaml) "edge" | keys }}
{{- $most := regexFind "[0-9]+$" (include "finance.range" (dict "root" $ "component" $component)) | int }}
{{- $sum = add $sum (mul (get $held $component) (add 1 $most)) }}
{{- end -}}
{{ $sum }}
{{- end }}

{{/* finance.test.…: requests each surface by the Service of the edge. Each line of the output has a path and its status. */}}
{{- define "finance.test.command" -}}
{{- $program := `
const paths = ['/healthz', '/api/auth/jwks', '/data/transactions?select=id&limit=1']
const status = (path) => fetch(process.env.EDGE_URL + path, { signal: AbortSignal.timeout(10_000) }).then((answer) => answer.status, (error) => String(error.cause ?? error))
Promise.all(paths.map(status)).then((answers) => {
  paths.forEach((path, number) => console.log(path, answers[number]))
  process.exit(answers.every((answer) => answer === 200) ? 0 : 1)
})` -}}
{{ list "node" "-e" (trim $program) | toJson }}
{{- end }}
{{- define "finance.test.environment" -}}
EDGE_URL: http://{{ include "finance.fullname" .root }}-edge
{{- end }}
