/**
 * infra/docker/setup refuses a second deployment with the name of an existing one, and writes the
 * settings and secrets of its own. Docker is a fake script here;
 * tests/containers/upgrade-under-load.containers.ts uses the real one.
 */
import { execFileSync } from 'node:child_process'
import {
  appendFile,
  chmod,
  chown,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, afterEach, describe, expect, test } from 'vitest'
import {
  deploymentIn,
  fakeDocker,
  fakeDockerScript,
  otherDeploymentIn,
  prepareFolder,
  run,
  writtenIn,
} from './docker-folder.ts'

let directory: string
beforeEach(async () => {
  directory = await prepareFolder()
})
afterEach(() => rm(directory, { recursive: true }))

const deployment = () => deploymentIn(directory)
const otherDeployment = () => otherDeploymentIn(directory)
const command = (name: string, args: string[], env?: Record<string, string>, uid?: number) =>
  run(directory, name, args, env, uid)
const docker = (project: string, folders: string[], volumes: string[]) =>
  fakeDocker(directory, project, folders, volumes)
const dockerScript = (answers: Record<string, string>) => fakeDockerScript(directory, answers)
const written = () => writtenIn(directory)

test('setup in a second folder while the first deployment runs names its folder and three solutions, and writes nothing', async () => {
  await docker('finance', [otherDeployment(), otherDeployment()], ['finance_database'])
  const { code, complaint } = await command('setup', ['https://money.example.org'])
  expect(code).toBe(1)
  expect(complaint).toContain(
    `another deployment named finance on this machine: its containers belong to ${otherDeployment()}, and this folder does not have its secrets`,
  )
  for (
    const way of [
      'copy its .env',
      'COMPOSE_PROJECT_NAME=finance2 infra/docker/setup',
      "docker compose -p finance --profile '*' down --volumes",
    ]
  )
    expect(complaint).toContain(way)
  expect(await written()).toEqual([])
})

test('setup in a second folder while the first is stopped and removed still finds its database', async () => {
  await docker('finance', [], ['finance_database'])
  const { code, complaint } = await command('setup', ['https://money.example.org'])
  expect([code, complaint]).toEqual([
    1,
    expect.stringContaining(
      'its database is the volume finance_database, and this folder does not have its secrets',
    ),
  ])
  expect(await written()).toEqual([])
})

test('setup in a second folder creates a second deployment with another name, and remembers the name', async () => {
  await docker('finance', [otherDeployment()], ['finance_database'])
  const { code, complaint } = await command('setup', ['https://money.example.org'], {
    COMPOSE_PROJECT_NAME: 'staging',
  })
  expect([code, complaint]).toEqual([0, ''])
  expect(await readFile(join(deployment(), '.env'), 'utf8')).toMatch(
    /^COMPOSE_PROJECT_NAME=staging$/m,
  )
  expect((await command('setup', [])).output).toContain('stays as it is')
})

test('setup in a second folder lets containers read the secrets, and keeps the mode of a file behind a link', async () => {
  await docker('finance', [], [])
  const elsewhere = join(directory, 'elsewhere')
  await writeFile(elsewhere, 'a secret of another program', { mode: 0o600 })
  await mkdir(join(deployment(), 'secrets'))
  await symlink(elsewhere, join(deployment(), 'secrets/SMTP_URL'))
  expect((await command('setup', ['https://money.example.org'])).code).toBe(0)
  const modes = await Promise.all(
    [elsewhere, join(deployment(), 'secrets/BETTER_AUTH_SECRET')].map(async (file) =>
      (await stat(file)).mode & 0o777
    ),
  )
  expect(modes).toEqual([0o600, 0o644])
})

test('setup in a second folder in its own folder, without its secrets, says so and offers no deletion', async () => {
  await docker('finance', [deployment()], ['finance_database'])
  const { code, complaint } = await command('setup', ['https://money.example.org'])
  expect([code, complaint]).toEqual([
    1,
    expect.stringContaining('The secrets of this deployment are lost'),
  ])
  expect(complaint).not.toContain('down --volumes')
  expect(await written()).toEqual([])
})

test('setup in a second folder is necessary before an upgrade, and a backup refuses unknown arguments', async () => {
  expect(await command('upgrade', [])).toMatchObject({
    code: 1,
    complaint: expect.stringContaining('infra/docker/setup <address>'),
  })
  for (const args of [['--help'], ['backups', '--keep', '1']])
    expect(await command('backup', args)).toMatchObject({
      code: 1,
      complaint: expect.stringContaining('Usage: infra/docker/backup'),
    })
  expect(await command('restore', [''])).toMatchObject({
    code: 1,
    complaint: expect.stringContaining('Name a backup'),
  })
  expect(await written()).toEqual([])
})

test('setup in a second folder with the .env of the first refuses while the first runs from its own folder', async () => {
  await docker('finance', [], [])
  expect((await command('setup', ['https://money.example.org'])).code).toBe(0)
  await docker('finance', [otherDeployment()], ['finance_database'])
  const { code, complaint } = await command('setup', [])
  expect([code, complaint]).toEqual([
    1,
    expect.stringContaining(`its containers belong to ${otherDeployment()}. Nothing was changed.`),
  ])
  // The folder was moved here.
  await rm(otherDeployment(), { recursive: true })
  expect((await command('setup', [])).code).toBe(0)
})

test('setup in the folder of the running deployment continues, also through another path', async () => {
  await docker('finance', [], [])
  expect((await command('setup', ['https://money.example.org'])).code).toBe(0)
  await symlink(deployment(), join(directory, 'link'))
  await docker('finance', [deployment(), join(directory, 'link')], ['finance_database'])
  expect((await command('setup', [])).code).toBe(0)
})

test('setup in place of a lost .env keeps the volume of a database that was restored to a moment', async () => {
  const volume = 'finance_database_20260131120000'
  await mkdir(join(deployment(), 'secrets'))
  await writeFile(join(deployment(), 'secrets/BETTER_AUTH_SECRET'), 'saved\n')
  await dockerScript({
    '*service=db*': `echo ${volume}`,
    '"ps "*': `echo '${deployment()}'`,
    '"compose version "*': 'echo 2.26.1',
  })
  expect((await command('setup', ['https://money.example.org'])).code).toBe(0)
  expect(await readFile(join(deployment(), '.env'), 'utf8')).toMatch(
    new RegExp(`^DATABASE_VOLUME=${volume}$`, 'm'),
  )
  await dockerScript({ '"compose version "*': 'echo 2.26.1' })
  await rm(join(deployment(), '.env'))
  await command('setup', ['https://money.example.org'])
  expect(await readFile(join(deployment(), '.env'), 'utf8'), 'no container').not.toContain(
    'DATABASE_VOLUME',
  )
})

test('setup says what is not backed up, monitored or reported, as long as that is so', async () => {
  await docker('finance', [], [])
  const gaps = async () =>
    (await command('setup', ['https://money.example.org'])).output.split('\n').filter((line) =>
      /^(Nothing|Backups|Alerts|Nobody)/.test(line)
    ).map((line) => line.split(':')[0])
  expect(await gaps()).toEqual([
    'Nothing is backed up',
    'Nothing is monitored',
    'Nobody hears if backups stop',
  ])
  const set = (line: string) => appendFile(join(deployment(), '.env'), `${line}\n`)
  await set('COMPOSE_PROFILES=backup,monitoring')
  expect(await gaps()).toEqual([
    'Backups stay on this machine',
    'Alerts reach nobody',
    'Nobody hears if backups stop',
  ])
  await writeFile(
    join(deployment(), 'offsite.env'),
    'RESTIC_REPOSITORY=rest:https://backups.example.org/\n',
  )
  await set('BACKUP_PING_URL_FILE=secrets/BACKUP_PING_URL')
  expect(await gaps()).toEqual(['Alerts reach nobody'])
  await set('ALERT_WEBHOOK_URL_FILE=secrets/ALERT_WEBHOOK_URL')
  expect(await gaps()).toEqual([])
})

test('setup counts a backup of your own schedule, if it is young', async () => {
  await docker('finance', [], [])
  const isBackedUp = async () =>
    !(await command('setup', ['https://money.example.org'])).output.includes('Nothing is backed up')
  expect(await isBackedUp()).toBe(false)
  const dump = join(deployment(), 'backups/finance-20260101T000000Z.dump')
  await writeFile(dump, '')
  expect(await isBackedUp()).toBe(true)
  await utimes(dump, new Date('2026-01-01'), new Date('2026-01-01'))
  expect(await isBackedUp()).toBe(false)
})

test('setup copies the optional secrets of an older .env into files, and names the files', async () => {
  await docker('finance', [], [])
  const secrets = {
    RESEND_API_KEY: 're_1',
    OTEL_EXPORTER_OTLP_HEADERS: 'x=1',
    ALERT_WEBHOOK_URL: 'https://alerts.example.org/hook?token=1',
  }
  await writeFile(
    join(deployment(), '.env'),
    Object.entries(secrets).map(([name, value]) => `${name}=${value}\n`).join(''),
  )
  expect((await command('setup', ['https://money.example.org'])).code).toBe(0)
  for (const [name, value] of Object.entries(secrets)) {
    expect(await readFile(join(deployment(), 'secrets', name), 'utf8')).toBe(`${value}\n`)
    expect(await readFile(join(deployment(), '.env'), 'utf8')).toContain(
      `\n${name}_FILE=secrets/${name}\n`,
    )
  }
})

describe('setup with the secrets of an older .env', () => {
  const older = (lines: string) =>
    writeFile(join(deployment(), '.env'), `PUBLIC_URL=https://money.example.org\n${lines}`)
  const secret = (name: string) => readFile(join(deployment(), 'secrets', name), 'utf8')
  beforeEach(() => docker('finance', [], []))

  test('setup with the secrets of an older .env reads values like compose, with and without quotes', async () => {
    await older(
      `POSTGRES_PASSWORD='a $b #c "d"'\nAUTH_SERVICE_PASSWORD="it's"\nAUTHENTICATOR_PASSWORD=p@ss%\nSMTP_URL=smtp://u:a#b\\c"d@host:587\nOTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer x\n`,
    )
    expect((await command('setup', [])).code).toBe(0)
    expect(await secret('POSTGRES_PASSWORD')).toBe('a $b #c "d"\n')
    expect(await secret('AUTH_SERVICE_PASSWORD')).toBe("it's\n")
    expect(await secret('AUTHENTICATOR_PASSWORD')).toBe(
      'postgresql://authenticator:%70%40%73%73%25@\n',
    )
    expect(await secret('SMTP_URL')).toBe('smtp://u:a#b\\c"d@host:587\n')
    expect(await secret('OTEL_EXPORTER_OTLP_HEADERS')).toBe('authorization=Bearer x\n')
    expect((await command('setup', [])).complaint).not.toContain('differ')
  })

  test.each([
    ['a comment after the value', 'SMTP_URL=value # mine'],
    ['a comment after quotes', "SMTP_URL='value' # mine"],
    ['text after quotes', "SMTP_URL='value'tail"],
    ['an escape in quotes', 'SMTP_URL="val\\"ue"'],
    ['a variable', 'SMTP_URL=smtp://$HOST'],
    ['a variable in quotes', 'SMTP_URL="smtp://$HOST"'],
    ['an open quote', 'SMTP_URL="value'],
    ['a trailing space', 'SMTP_URL=value '],
    ['export before it', 'export SMTP_URL=value'],
    ['leading spaces', '  SMTP_URL=value'],
    ['a space before the equals sign', 'SMTP_URL =value'],
    ['a colon', 'SMTP_URL: value'],
  ])(
    'setup with the secrets of an older .env refuses a line with %s, and names the line and the variable',
    async (_, line) => {
      await older(`# mail\n${line}\n`)
      const { code, complaint } = await command('setup', [])
      expect([code, complaint]).toEqual([
        1,
        expect.stringMatching(
          /^Line 3 of \.env is not plain\. Write it as SMTP_URL='value',[^]*Nothing was changed\.\n$/,
        ),
      ])
      expect(await readdir(deployment())).not.toContain('secrets')
    },
  )

  test.each(['# mail\r\nSMTP_URL=value\r\n', '\uFEFFSMTP_URL=value\n'])(
    'refuses the text of a Windows editor with the command that corrects it: %j',
    async (text) => {
      await writeFile(join(deployment(), '.env'), text)
      const { code, complaint } = await command('setup', [])
      expect([code, complaint]).toEqual([
        1,
        expect.stringMatching(
          /^A Windows editor has written \.env, .*: sed -i '.*' \.env\nNothing was changed\.\n$/,
        ),
      ])
      expect(await command('check', [])).toMatchObject({
        code: 1,
        output: expect.stringMatching(/^A Windows editor has written .*\n$/),
      })
      execFileSync('bash', ['-c', /sed -i .*/.exec(complaint)?.[0] ?? ''], { cwd: deployment() })
      expect(await readFile(join(deployment(), '.env'), 'utf8')).toBe(
        text.replaceAll('\r', '').replace('\uFEFF', ''),
      )
      expect((await command('setup', [])).code).toBe(0)
    },
  )

  test('setup with the secrets of an older .env refuses a secret that occurs twice', async () => {
    await older('SMTP_URL=one\nSMTP_URL=two\n')
    const { code, complaint } = await command('setup', [])
    expect([code, complaint]).toEqual([
      1,
      'SMTP_URL is in .env more than once, on the lines 2 3. Keep one.\nNothing was changed.\n',
    ])
  })

  test('setup with the secrets of an older .env reports at each run the lines that are ignored and those that differ, and removes the comments above them', async () => {
    const comments =
      `# Keep a copy elsewhere: without it no backup's signing keys can be opened.\n# May be changed; \`docker compose up -d --wait\` then sets them. Put other characters than these in single quotes.\n`
    await older(`${comments}BETTER_AUTH_SECRET=one\nAUTHENTICATOR_PASSWORD=two\n`)
    expect((await command('setup', [])).complaint).toContain(
      'Copied from .env into secrets/: AUTHENTICATOR_PASSWORD BETTER_AUTH_SECRET.\n',
    )
    expect(await readFile(join(deployment(), '.env'), 'utf8')).toMatch(
      /^PUBLIC_URL=.*\nBETTER_AUTH_SECRET=one\nAUTHENTICATOR_PASSWORD=two\n/,
    )
    await writeFile(join(deployment(), 'secrets/BETTER_AUTH_SECRET'), 'another\n')
    const { output, complaint } = await command('setup', [])
    expect(output).toContain('.env is complete')
    expect(complaint).toBe(
      'This version does not read these lines of .env, but the files of secrets/: AUTHENTICATOR_PASSWORD BETTER_AUTH_SECRET. The values of BETTER_AUTH_SECRET differ. Delete the lines when you no longer want to go back to a version that reads them.\n',
    )
  })
})

test('setup creates a missing secret, and says how to apply it', async () => {
  await docker('finance', [], [])
  await command('setup', ['https://money.example.org'])
  await rm(join(deployment(), 'secrets/AUTH_SERVICE_PASSWORD'))
  expect((await command('setup', [])).complaint).toBe(
    'Not found in secrets/, so new ones were made: AUTH_SERVICE_PASSWORD. If you have a copy of the old ones, put it back. Otherwise apply the new ones: docker compose run --rm migrate && docker compose restart auth realtime postgrest\n',
  )
  await rm(join(deployment(), 'secrets/BETTER_AUTH_SECRET'))
  expect((await command('setup', [])).complaint).toContain(
    'A database with keys of the old BETTER_AUTH_SECRET refuses the new one',
  )
})

describe('the address of setup', () => {
  beforeEach(() => docker('finance', [], []))

  test.each([
    [
      'https://localhost:70000',
      'its port 70000 is not from 1 to 65535. Write https://localhost:8443',
    ],
    ['https://localhost:x', 'its port x is not a number'],
    ['https://..', '.. is no name of a host'],
    ['https://a..example.org', 'a..example.org is no name of a host'],
    ['https://example.org.', 'example.org. ends with a dot. Write https://example.org'],
    [
      'http://localhost',
      'browsers keep the session cookie only with https. Write https://localhost',
    ],
    ['ftp://example.org', 'it begins with ftp instead of https. Write https://example.org'],
    [
      'https://example.org/app',
      'it has the path /app, and the product needs the whole host. Write https://example.org',
    ],
    ['https://ann@example.org', 'it has a user before the @. Write https://example.org'],
    ['https://256.1.1.1', '256.1.1.1 is no IPv4 address'],
    ['https://10.0.0.01', '10.0.0.01 is no IPv4 address'],
    ['fe80::1', 'an IPv6 address is not supported'],
    ['https://[::1]', 'an IPv6 address is not supported'],
    ['https://münchen.example', 'begins with xn--'],
  ])(
    '%s is refused with its reason and the corrected form, and nothing is written',
    async (address, reason) => {
      const { code, complaint } = await command('setup', [address])
      expect([code, complaint]).toEqual([
        1,
        expect.stringMatching(/^The address cannot be used: .*\.\n$/),
      ])
      expect(complaint).toContain(reason)
      expect(await written()).toEqual([])
    },
  )

  test.each([
    ['https://Money.Example.org/', 'https://money.example.org', '443'],
    ['money.example.org', 'https://money.example.org', '443'],
    ['https://money.example.org:443', 'https://money.example.org', '443'],
    ['https:/money.example.org', 'https://money.example.org', '443'],
    ['https://https://money.example.org:8443', 'https://money.example.org:8443', '8443'],
    [' HTTPS://192.0.2.2:8443/ ', 'https://192.0.2.2:8443', '8443'],
  ])('%s, as pasted from a browser, is understood', async (address, url, port) => {
    const { code, output } = await command('setup', [address])
    expect([code, output]).toEqual([0, expect.stringContaining(`The address is ${url}.\n`)])
    expect(await readFile(join(deployment(), '.env'), 'utf8')).toContain(
      `\nPUBLIC_URL=${url}\nSITE_HOST=${new URL(url).hostname}\nHTTPS_PORT=${port}\n`,
    )
  })

  test('the address of setup that is a private name gets a certificate of Caddy itself', async () => {
    await command('setup', ['https://nas.local'])
    expect(await readFile(join(deployment(), '.env'), 'utf8')).toMatch(/^TLS=internal$/m)
    await command('setup', ['https://money.example.org'])
    await writeFile(
      join(deployment(), '.env'),
      (await readFile(join(deployment(), '.env'), 'utf8')).replace('TLS=internal\n', '').replaceAll(
        'money.example.org',
        'nas.lan',
      ),
    )
    expect((await command('setup', [])).output).toContain('Wrote .env')
    expect(await readFile(join(deployment(), '.env'), 'utf8')).toMatch(/^TLS=internal$/m)
  })
})

/** Runs only as root, because other users cannot change the owner of a file. */
describe.runIf(process.getuid?.() === 0)('a .env of another user', () => {
  const user = 65_534
  beforeEach(async () => {
    await docker('finance', [], [])
    expect((await command('setup', ['https://money.example.org'])).code).toBe(0)
  })

  test('is not treated as missing, and the error says how to get it back', async () => {
    await chmod(directory, 0o755)
    await chown(deployment(), user, user)
    const before = await readFile(join(deployment(), '.env'), 'utf8')
    for (const name of ['setup', 'rollback']) {
      const { code, complaint } = await command(name, [], {}, user)
      expect([code, complaint]).toEqual([
        1,
        expect.stringMatching(
          /^\.env belongs to root, and .* cannot read and change it, so nothing was changed\./,
        ),
      ])
    }
    expect(await readFile(join(deployment(), '.env'), 'utf8')).toBe(before)
  })

  test('keeps its owner when root runs a command that writes it, and so do new secrets', async () => {
    for (const path of ['.env', 'secrets']) await chown(join(deployment(), path), user, user)
    await rm(join(deployment(), 'secrets/POSTGRES_PASSWORD'))
    expect((await command('setup', ['https://new.example.org'])).code).toBe(0)
    for (const path of ['.env', 'secrets/POSTGRES_PASSWORD'])
      expect((await stat(join(deployment(), path))).uid).toBe(user)
  })
})

test('setup without Docker warns that it could not check, and continues', async () => {
  await writeFile(join(directory, 'bin/docker'), '#!/bin/sh\nexit 1\n')
  await chmod(join(directory, 'bin/docker'), 0o755)
  const { code, complaint } = await command('setup', ['https://money.example.org'])
  expect([code, complaint]).toEqual([0, expect.stringContaining('Docker does not answer')])
})
