/** Sources of the services and of the pages have none of the calls that make injection possible. */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** Returns `file: match` for each match of a pattern. */
const found = (pattern: RegExp, ...globs: string[]): string[] =>
  globs.flatMap((glob) => globSync(glob, { cwd: root })).filter((file) =>
    !/node_modules|\/dist\//.test(file)
  ).toSorted()
    .flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(pattern)].map(([match]) =>
        `${file}: ${match}`
      )
    )

const services = '{auth,common,edge,http,rates,realtime,storage}/**/*.ts'
const pages = ['app/src/**/*.{ts,tsx}', 'client/**/*.ts', 'auth/pages/*']

test('the services start no process and evaluate no text', () => {
  expect(found(/node:child_process|node:vm|\beval\(|new Function\(/g, services)).toEqual([])
})

test('the services write no file, and log to their output only', () => {
  expect(
    found(
      /\b(?:writeFile|appendFile|createWriteStream|openSync|writeSync)\w*\(|\bconsole\.\w+|pino\.(?:destination|transport|multistream)\((?:\{ dest: )?\w+/g,
      services,
    ),
  )
    .toEqual(['common/log.ts: pino.destination(1', 'edge/main.ts: pino.destination({ dest: 1'])
})

test('the pages write text, and no markup that they have put together', () => {
  expect(
    found(
      /dangerouslySetInnerHTML|\b(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write|\beval\(|new Function\(/g,
      ...pages,
    ),
  ).toEqual([])
})

test('each field of a password hides it, names its purpose for password managers, and can be pasted into', () => {
  const fields = found(/<(?:input|TextField)[^>]*name=["'](?:\w*[pP]assword)["'][^>]*>/g, ...pages)
  expect(fields.length).toBeGreaterThan(5)
  expect(
    fields.filter((field) =>
      !/type=["']password["']/.test(field) ||
      !/auto[cC]omplete=["'](?:new|current)-password["']/.test(field)
    ),
  ).toEqual([])
  expect(found(/onpaste|onPaste=\{\(?\w*\)? => \w+\.preventDefault/g, ...pages)).toEqual([])
})

test('the only cipher of our own calls is AES-256-GCM', () => {
  expect(found(/create(?:C|Dec)ipheriv\('[^']*'|'(?:aes|des|chacha20)-[^']*'/g, services)).toEqual([
    "realtime/live/cursor.ts: 'aes-256-gcm'",
  ])
})

test('secrets come from the random generator of the system, and hashes are SHA-256; codes of apps are HMAC-SHA-1 by their standard', () => {
  // the pause before a webhook is sent again
  expect(found(/Math\.random/g, services)).toEqual(['realtime/webhooks/dispatcher.ts: Math.random'])
  expect(found(/create(?:Hash|Hmac)\('(?!sha256)\w+'/g, services)).toEqual([
    "auth/features/two-factor/totp.ts: createHmac('sha1'",
  ])
})

test('no lock of the database outlives its transaction, except that of a migration', () => {
  const { stdout } = spawnSync('git', [
    'grep',
    '-lE',
    'pg_(try_)?advisory_(lock|unlock)',
    '--',
    ':!tests/lints',
  ], { cwd: root, encoding: 'utf8' })
  // an index is built outside of a transaction; the lock ends with the migration's only connection
  expect(stdout.split('\n').filter(Boolean)).toEqual(['db/migration-client.ts'])
})
