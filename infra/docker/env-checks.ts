/**
 * Checks what the operator of a deployment writes: the lines of `.env`, each setting by the code of
 * the program that reads it, and the secrets. No I/O. Sentences never contain a value that may be a
 * secret.
 */
import { authConfig, identityConfig } from '../../auth/config.ts'
import { isConfigError } from '../../common/errors.ts'
import {
  checkAuthenticatorFile,
  environment,
  objectOptionsOf,
  readSettings,
  secretNames,
} from '../../common/settings.ts'
import { composeVariables } from './compose-variables.ts'

/** The content of each secret that the deployment has. */
export type Secrets = Record<string, string>

type Service = { environment?: Record<string, string | null> }

/** A line of `.env`. `quote` is empty for a value without quotes. */
export type Line = { number: number, name: string, value: string, quote: string }

/**
 * Returns the lines of `.env` that set a variable, and a sentence for each other line that is not a
 * comment.
 */
export function readLines(text: string): { lines: Line[], problems: string[] } {
  const lines: Line[] = []
  const problems: string[] = []
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.replace(/\r$/, '')
    if (/^\s*(#|$)/.test(line)) continue
    const [, name, rest = ''] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*[=:]\s*(.*)$/.exec(line) ?? []
    if (name === undefined) {
      problems.push(
        `Line ${index + 1} of .env is not NAME=value: correct it, or put a # before it.`,
      )
      continue
    }
    const [, quote = '', quoted = ''] = /^(['"])(.*?)\1/.exec(rest) ?? []
    lines.push({
      number: index + 1,
      name,
      value: quote === '' ? rest.replace(/\s+#.*$/, '').trim() : quoted,
      quote,
    })
    if (quote === '' && /^['"]/.test(rest))
      problems.push(
        `Line ${index + 1} of .env opens a quote for ${name} and does not close it: close it.`,
      )
    if (quote === '' && /\S\s+#/.test(rest))
      problems.push(
        `Line ${
          index + 1
        } of .env: the value of ${name} ends at the #: put the value in single quotes, or the comment on its own line.`,
      )
  }
  const named = new Map(
    lines.map(({ name }) => [
      name,
      lines.filter((line) => line.name === name).map(({ number }) => number),
    ]),
  )
  for (const [name, numbers] of named)
    if (numbers.length > 1)
      problems.push(
        `${name} is in .env more than once, on the lines ${numbers.join(', ')}: keep one of them.`,
      )
  for (const { name, number, value, quote } of lines) {
    const variables = quote === "'"
      ? []
      : [...value.matchAll(/(?<!\$)\$\{?([A-Za-z_]\w*)/g)].map(([, variable = '']) => variable)
    if (variables.some((variable) => !named.has(variable)))
      problems.push(
        `Line ${number} of .env: the $ in ${name} begins a variable for Docker Compose: put the value in single quotes.`,
      )
  }
  return { lines, problems }
}

/** Returns the number of edits that turn one name into the other. */
function distance(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      current.push(
        Math.min(
          (above[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (above[column - 1] ?? 0) + (isSame ? 0 : 1),
        ),
      )
    }
    above = current
  }
  return above.at(-1) ?? 0
}

/** The secrets that no program of common/settings.ts reads. */
const urlSecrets = ['ALERT_WEBHOOK_URL', 'WATCHDOG_URL', 'BACKUP_PING_URL']

/** The variables that the commands of infra/docker write, and those of former versions. */
const ownNames =
  /^(COMPOSE_|DOCKER_|PREVIOUS_VERSION$|PREVIOUS_COMPOSE_FILE$|POSTGREST_CONF$|PROXY_IMAGE$)/

export function checkNames(lines: Line[], composeFiles: string): string[] {
  const existing = new Set([
    ...[...composeFiles.matchAll(/(?<!\$)\$\{?([A-Za-z_]\w*)/g)].map(([, name = '']) => name),
    // a name without a value is passed on
    ...[...composeFiles.matchAll(/^ +(?:- )?([A-Z][A-Z0-9_]*):?\s*$/gm)].map(([, name = '']) =>
      name
    ),
  ])
  const names = new Set(lines.map(({ name }) => name))
  return lines.filter(({ name }) => !existing.has(name) && !ownNames.test(name)).flatMap(
    ({ name, number }) => {
      if ((secretNames as string[]).includes(name) || urlSecrets.includes(name)) {
        return names.has(`${name}_FILE`) ||
            [
              'POSTGRES_PASSWORD',
              'AUTH_SERVICE_PASSWORD',
              'AUTHENTICATOR_PASSWORD',
              'BETTER_AUTH_SECRET',
            ].includes(name)
          ? []
          : [
            `${name} on line ${number} of .env has no effect, because secrets are files: infra/docker/setup moves it into secrets/.`,
          ]
      }
      if (name === 'POSTGRES_PASSWORD') return []
      if (Object.hasOwn(environment.shape, name))
        return [
          `${name} on line ${number} of .env has no effect, because compose.yaml sets it: remove the line.`,
        ]
      const nearest =
        [...existing].map((other) => ({ other, edits: distance(name.toUpperCase(), other) }))
          .toSorted((a, b) => a.edits - b.edits)[0]
      const hint = nearest !== undefined && nearest.edits <= 3
        ? `write ${nearest.other}`
        : 'correct or remove it'
      return [`${name} on line ${number} of .env is not a setting: ${hint}.`]
    },
  )
}

export function checkComposeVariables(lines: Line[]): string[] {
  return lines.flatMap(({ name, value }) => {
    const form = composeVariables[name]?.form
    return form === undefined || value === '' || form[0].test(value) ? [] : [`${name} ${form[1]}.`]
  })
}

/** Replaces each `NAME_FILE` of a service by the secret itself. */
export function environmentOf(
  service: Service | undefined,
  secrets: Secrets,
): Record<string, string | undefined> {
  const entries = Object.entries(service?.environment ?? {}).map(([name, value]) =>
    [name, value ?? undefined] as const
  )
  const files = entries.filter(([name, value]) =>
    name.endsWith('_FILE') && value !== undefined && value !== ''
  ).map(([name]) => name.slice(0, -5))
  return {
    ...Object.fromEntries(entries.filter(([name]) => !name.endsWith('_FILE'))),
    ...Object.fromEntries(files.map((name) => [name, secrets[name]])),
  }
}

/**
 * Returns every problem of an environment. The program names only the first, so each invalid
 * variable is removed and the rest is read again. A later sentence that names a removed variable is
 * only a consequence.
 */
export function settingProblems(
  variables: Record<string, string | undefined>,
  read: (variables: Record<string, string | undefined>) => unknown,
): string[] {
  const problems: string[] = []
  const left = { ...variables }
  const removed: string[] = []
  for (;;) {
    try {
      read(left)
      return problems
    } catch (error) {
      if (!isConfigError(error)) throw error
      if (!removed.some((name) => new RegExp(`\\b${name}\\b`).test(error.message)))
        problems.push(error.message)
      const name = /^[A-Z][A-Z0-9_]*/.exec(error.message)?.[0] ?? ''
      if ((left[name] ?? '') === '') return problems
      delete left[name]
      removed.push(name)
    }
  }
}

export function checkSettings(services: Record<string, Service>, secrets: Secrets): string[] {
  const of = (name: string) => environmentOf(services[name], secrets)
  return [
    ...settingProblems(of('auth'), (variables) => authConfig(readSettings(variables))),
    // compose files of older versions have no such service
    ...(services['realtime'] === undefined
      ? []
      : settingProblems(of('realtime'), (variables) => identityConfig(readSettings(variables)))),
    ...settingProblems(of('edge'), readSettings),
    ...settingProblems(of('migrate'), (variables) => objectOptionsOf(readSettings(variables))),
  ]
}

const placeholder =
  /^(<.*>|\[.*\]|…|\.\.\.|x+|change[-_ ]?(me|it|this)|replace[-_ ]?(me|this)|todo|secret|password|example|placeholder|your[-_ ].*)$/i

export function checkSecrets(secrets: Secrets): string[] {
  const problems = Object.entries(secrets).filter(([, value]) => placeholder.test(value.trim()))
    .map(([name]) => `The file of ${name} still holds a placeholder: write the real value into it.`)
  const {
    AUTHENTICATOR_PASSWORD: authenticator,
    BETTER_AUTH_SECRET: secret,
    RESEND_API_KEY: resend,
  } = secrets
  for (const name of urlSecrets) {
    const url = secrets[name]?.trim()
    if (
      url !== undefined && !placeholder.test(url) &&
      !(URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))
    )
      problems.push(`The file of ${name} must hold one URL that begins with https:// or http://.`)
  }
  if (authenticator !== undefined)
    problems.push(...settingProblems({}, () => checkAuthenticatorFile(authenticator)))
  if (secret !== undefined && new Set(secret).size < 8)
    problems.push(
      'BETTER_AUTH_SECRET has too few different characters: write 32 random ones into secrets/BETTER_AUTH_SECRET before the first start.',
    )
  if (resend !== undefined && !placeholder.test(resend) && !/^re_\w{8,}$/.test(resend))
    problems.push(
      'RESEND_API_KEY must begin with re_: copy the key from resend.com/api-keys into its file.',
    )
  return problems
}
