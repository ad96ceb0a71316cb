/**
 * Generates docs/settings.md, and infra/settings.json for the chart and Terraform, from
 * common/settings.ts and infra/docker/compose-variables.ts.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { environment, type About } from '../common/settings.ts'
import { composeVariables } from '../infra/docker/compose-variables.ts'

type Setting = About & { name: string, default?: string | number, enum?: string[] }

const settings = (): Setting[] =>
  Object.entries(
    z.toJSONSchema(environment, { io: 'input', unrepresentable: 'any' }).properties ?? {},
  )
    .map(([name, schema]) => ({ name, ...schema as Omit<Setting, 'name'> }))

const row = (
  {
    name,
    default: fallback,
    unset = fallback === undefined ? 'none' : `\`${String(fallback)}\``,
    description,
    secret,
  }: Setting,
): string => `| \`${name}\`${secret === true ? ', `…_FILE`' : ''} | ${unset} | ${description} |`

/** The files that give a variable of compose its default, as in `${NAME:-default}`. */
const composeFiles = [
  'compose.yaml',
  'infra/docker/backups/schedule',
  'infra/docker/backups/archive',
]

const composeRows = (): string => {
  const texts = composeFiles.map((file) =>
    readFileSync(join(import.meta.dirname, '..', file), 'utf8')
  ).join('')
  return Object.entries(composeVariables).map(([name, { description, unset }]) => {
    const [, fallback] = new RegExp(String.raw`\$\{${name}:-([^}$]+)\}`).exec(texts) ?? []
    return `| \`${name}\` | ${
      unset ?? (fallback === undefined || fallback === '/dev/null' ? 'none' : `\`${fallback}\``)
    } | ${description} |`
  }).join('\n')
}

const page = () =>
  `# Settings

This page is for operators. Every setting is an environment variable. An empty value counts as none. A wrong or missing value ends the start with one
line that names the variable. A setting with \`…_FILE\` is a secret: \`BETTER_AUTH_SECRET_FILE=/run/secrets/better_auth_secret\`
is the path of a file with the value of \`BETTER_AUTH_SECRET\`. Both at once are an error. Written by
\`npm run schema\`.

Only Docker Compose reads a file \`.env\`, and \`infra/docker/setup\` writes it. Set a variable for \`npm start\` in its environment, as in \`PORT=4000 npm start\`.
For a file of your own: \`set -a; . ./finance.env; set +a; npm start\`.

| Variable | Default | Meaning |
|---|---|---|
${settings().map(row).join('\n')}

## Only with Docker Compose

These lines of \`.env\` are for \`compose.yaml\` and the commands of \`infra/docker\`. \`infra/docker/up\` checks them. [operations.md](operations.md) has the
parts that they set up. A PostgREST 16 of your own reads \`PGRST_JWT_CACHE_MAX_ENTRIES\` and \`PGRST_LOG_LEVEL\` too.

| Variable | Default | Meaning |
|---|---|---|
${composeRows()}
`

/**
 * Returns the settings that operators give to services, each with the services and, of a closed
 * set, the values.
 */
const offered = () =>
  Object.fromEntries(
    settings().flatMap(({ name, services, secret = false, enum: values = [] }) =>
      services === undefined ? [] : [[name, { secret, services, values }]]
    ),
  )

/** Returns the text of infra/settings.json, with one line per setting. */
const json = () =>
  `{\n${
    Object.entries(offered()).map(([name, facts]) =>
      `  ${JSON.stringify(name)}: ${JSON.stringify(facts)}`
    ).join(',\n')
  }\n}\n`

/** Returns the text of each generated file, by its path. */
export const settingsPages = (): Record<string, string> => ({
  'docs/settings.md': page(),
  'infra/settings.json': json(),
})
