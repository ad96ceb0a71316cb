/**
 * Generates docs/settings.md, and infra/settings.json for the chart and Terraform, from
 * common/settings.ts.
 */
import { z } from 'zod'
import { environment, type About } from '../../common/settings.ts'

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

const page = () =>
  `# Settings

This page is for operators. Every setting is an environment variable. An empty value counts as none. A wrong or missing value ends the start with one
line that names the variable. A setting with \`…_FILE\` is a secret: \`BETTER_AUTH_SECRET_FILE=/run/secrets/better_auth_secret\`
is the path of a file with the value of \`BETTER_AUTH_SECRET\`. Both at once are an error. Written from \`common/settings.ts\` by
\`npm run schema\`.

Only Docker Compose reads a file \`.env\`, and \`infra/docker/setup\` writes it. Set a variable for \`npm start\` in its environment, as in \`PORT=4000 npm start\`.
For a file of your own: \`set -a; . ./finance.env; set +a; npm start\`.

| Variable | Default | Meaning |
|---|---|---|
${settings().map(row).join('\n')}

PostgREST 16 also reads \`PGRST_JWT_CACHE_MAX_ENTRIES\`: the maximum number of verified tokens in its cache, 1000 by default, about 7 KiB
each. 0 turns the cache off. A cached token still ends with its session, role or key.
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
