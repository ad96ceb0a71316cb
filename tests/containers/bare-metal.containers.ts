/**
 * docs/bare-metal.md, pasted: a machine without Docker, from the installation to a failed upgrade.
 * One story: each test starts where the one before ended. The machine is a container that runs
 * systemd.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandsOf, fencesOf, textOf } from '../support/doc-commands.ts'
import { expectMainJob, mainJob } from '../support/main-job.ts'
import { root, run } from './deployment.ts'

const page = 'docs/bare-metal.md'
let machine: string
/** Runs a script as root in the home directory of root. @returns its output */
const shell = (script: string) =>
  run('docker', ['exec', '-w', '/root', machine, 'bash', '-euo', 'pipefail', '-c', script])

const left = commandsOf(page)
/** Runs the next command of the page, which must begin like this. @returns its output */
function paste(from: string, start: string): Promise<string> {
  const { text = '' } = left.shift() ?? {}
  expect(text.slice(0, start.length), `the next command of ${from}`).toBe(start)
  return shell(text)
}
/** Returns the file that the page shows in a fence of this language. */
const fenceOf = (language: string) =>
  fencesOf(page).find(({ info }) => info === language)?.content ?? ''

const ready =
  'curl -fsS -o /dev/null --retry 60 --retry-delay 1 --retry-all-errors http://127.0.0.1:3000/healthz'
const status = (path: string) =>
  shell(
    `curl -s --cacert root.crt -H 'accept: text/html, */*' -o /dev/null -w '%{http_code}' 'https://money.example.org${path}'`,
  )
const transactions = () =>
  shell(
    `token=$(curl -fs --cacert root.crt -b cookies.txt -X POST https://money.example.org/api/auth/token | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
    curl -fs --cacert root.crt -H "authorization: Bearer $token" 'https://money.example.org/data/transactions?select=name'`,
  )

const restarts = async () => Number(await shell('systemctl show -P NRestarts finance'))
/** A start takes ten seconds and more on a busy machine. */
const patiently = { timeout: 300_000, interval: 1_000 }

/** Commits a change to the repository that the machine's checkout is a clone of. */
const publish = (change: string) =>
  shell(`cd /root/source; ${change}; git add -A; git commit -qm change`)

beforeAll(async () => {
  const image = 'finance-test-machine'
  await run('docker', ['build', '--quiet', '-t', image, join(import.meta.dirname, 'bare-metal')])
  // systemd needs these options in a container. A nested engine may not allow --privileged.
  const allowed = [
    '--cap-add=ALL',
    '--cap-drop=SYS_RESOURCE',
    '--security-opt=seccomp=unconfined',
    '--security-opt=apparmor=unconfined',
    '--cgroupns=private',
  ]
  const npm = ['-e', 'NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt']
  machine = (await run('docker', [
    'run',
    '-d',
    ...allowed,
    ...npm,
    '--add-host=money.example.org:127.0.0.1',
    '--tmpfs=/run',
    image,
  ])).trim()
  // Outside of containers systemd does this itself. Without it services cannot read their
  // credentials.
  await shell('mount --make-rshared /')
  const archive = await mkdtemp(join(tmpdir(), 'finance-checkout-'))
  await run('bash', [
    '-euc',
    `git ls-files -z -co --exclude-standard | xargs -0 ls -d 2>/dev/null | tar cf ${archive}/tree.tar -T -`,
  ], { cwd: root })
  await run('docker', ['cp', join(archive, 'tree.tar'), `${machine}:/root/tree.tar`])
  await rm(archive, { recursive: true })
  await shell(
    `mkdir source; cd source; tar xf ../tree.tar; git init -q; git config user.email owner@example.org; git config user.name Owner
    git add -A; git commit -qm first; git clone -q /root/source /opt/finance
    systemctl is-system-running --wait || systemctl --failed
    # takes the mails of these tests, and prints their text
    echo "require('http').createServer((request, answer) => {
      let body = ''
      request.on('data', (part) => { body += part }).on('end', () => { console.log(JSON.parse(body).text); answer.end('{\\"id\\":\\"1\\"}') })
    }).listen(8025, '127.0.0.1')" >/root/provider.cjs
    systemd-run --quiet --unit mails node /root/provider.cjs`,
  )
})
afterAll(async () => {
  await run('docker', ['rm', '-f', machine])
})

test('the commands of the page start everything, and the main job works over TLS', async () => {
  await paste('docs/bare-metal.md', 'useradd')
  await paste('docs/bare-metal.md', 'install -d -m 700')
  await paste('docs/bare-metal.md', 'cd /opt/finance && npm ci && npm run build:app')
  await paste('docs/bare-metal.md', 'openssl rand -hex 32 >/etc/finance')
  await paste('docs/bare-metal.md', 'openssl rand -hex 32 | sed')
  await paste('docs/bare-metal.md', 'sed')
  await paste('docs/bare-metal.md', 'runuser -u postgres -- createdb')
  // No public authority signs for this machine.
  await shell(`echo re_a_key >/etc/finance/secrets/RESEND_API_KEY
    echo '${fenceOf('env')}RESEND_BASE_URL=http://127.0.0.1:8025' >/etc/finance/settings.env
    echo '{\n local_certs\n skip_install_trust\n}\n${fenceOf('text')}' >/etc/caddy/Caddyfile`)
  await paste('docs/bare-metal.md', 'systemctl enable --now')
  await paste('docs/bare-metal.md', 'curl -fsS --retry')
  await shell(`authority=/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt
    timeout 30 bash -c "until [ -e $authority ]; do sleep 0.2; done"; cp $authority root.crt`)
  expectMainJob(
    await shell(
      `AUTH=https://money.example.org/api/auth DATA=https://money.example.org/data; export CURL_CA_BUNDLE=root.crt
    emails() { journalctl -u mails -o cat; }
    ${mainJob.anywhere}`,
    ),
  )
  expect([await status('/transactions'), await status('/metrics')]).toEqual(['200', '404'])
})

test('only the ports of the page listen, no process runs as root, and only root can read the secrets', async () => {
  const listening = (await shell('ss -ltnH')).trim().split('\n').map((line) =>
    line.split(/\s+/)[3]?.replace(/^\*:|^0\.0\.0\.0:|^\[::\]:/, '') ?? ''
  )
  const named = [...textOf(page).matchAll(/^\| ([\d.:, ]+) \|/gm)].flatMap(([, ports = '']) =>
    ports.split(', ')
  )
  expect([...new Set(listening)].filter((address) => !/^\[::1\]|:8025$/.test(address)).toSorted())
    .toEqual(named.toSorted())
  const users = await shell(
    'pid=$(systemctl show -P MainPID finance); ps -o user= -p "$pid" --ppid "$pid"',
  )
  expect(new Set(users.trim().split('\n'))).toEqual(new Set(['finance']))
  expect(await shell('runuser -u finance -- cat /etc/finance/secrets/DATABASE_URL 2>&1 || true'))
    .toContain('Permission denied')
})

test('the operator applies a setting, and runs the command for operators', async () => {
  await shell('echo SIGN_UP=closed >>/etc/finance/settings.env')
  await paste('docs/bare-metal.md', 'systemctl restart finance')
  await shell(ready)
  expect(
    await shell(
      `curl -s --cacert root.crt -H 'content-type: application/json' -d '{"email":"bob@example.com","password":"correct horse","name":"Bob"}' \\
    https://money.example.org/api/auth/sign-up/email`,
    ),
  ).toContain('SIGN_UP_CLOSED')
  const [command = ''] = /DATABASE_URL_FILE=\S+ npm run admin -- users/.exec(textOf(page)) ?? []
  expect(await shell(`cd /opt/finance; ${command}`)).toContain('ann@example.com')
})

test('a crash of PostgREST stops the other services and all start again, and a stop needs no SIGKILL', async () => {
  const before = await restarts()
  await shell('pkill -9 -u finance postgrest')
  await expect.poll(restarts, patiently).toBe(before + 1)
  await shell(ready)
  await shell('systemctl stop finance')
  expect(
    (await shell('systemctl show -P Result finance; systemctl show -P ActiveState finance')).trim(),
  ).toBe('success\ninactive')
  await shell('systemctl start finance')
})

test('the services wait for a database that starts late', async () => {
  await shell('systemctl stop postgresql; systemctl restart finance')
  await expect.poll(restarts, patiently).toBeGreaterThan(2)
  expect(await shell('journalctl -u finance -o cat -n 20')).toContain(
    'Cannot start: DATABASE_URL: no server answers',
  )
  await shell(`systemctl start postgresql; ${ready}`)
  expect(await status('/data/transactions')).toBe('200')
})

/** Asks ten times a second during some work. @returns the seconds from the first failure to the last */
async function interruption(work: () => Promise<unknown>): Promise<number> {
  // stores the time of each failure in milliseconds
  const asks =
    `rm -f stop; until [ -e stop ]; do curl -fs -m 1 -o /dev/null http://127.0.0.1:3000/data/transactions || date +%s%3N; sleep 0.1; done >failures`
  await run('docker', ['exec', '-d', '-w', '/root', machine, 'bash', '-c', asks])
  await work()
  await shell(`${ready}; touch stop`)
  const failures = (await shell('cat failures')).trim().split('\n').map(Number)
  return (Math.max(...failures) - Math.min(...failures)) / 1_000
}

test('an upgrade interrupts both surfaces for at most three times as long as a restart, and one that cannot migrate is rolled back', async () => {
  const version = () => shell('git -C /opt/finance rev-parse HEAD')
  const ofRestart = await interruption(() => shell('systemctl restart finance'))
  await publish('echo >>auth/main.ts')
  const upgrade = left[0]?.text ?? ''
  const ofUpgrade = await interruption(() =>
    paste('docs/bare-metal.md', 'cd /opt/finance && git pull')
  )
  expect(ofRestart).toBeGreaterThan(0)
  expect(ofUpgrade).toBeGreaterThan(0)
  expect(ofUpgrade).toBeLessThan(3 * ofRestart)
  process.stdout.write(
    `  no answers for ${ofUpgrade} s of an upgrade, and ${ofRestart} s of a restart\n`,
  )
  const good = await version()
  await publish(`echo 'select 1 / 0;' >db/migrations/9999_impossible.sql`)
  await shell(upgrade)
  await expect.poll(() => shell('journalctl -u finance -o cat -n 5')).toContain('division by zero')
  await paste('docs/bare-metal.md', 'cd /opt/finance && git reset')
  await shell(ready)
  expect(await version()).toBe(good)
  expect(await transactions()).toBe('[{"name":"Groceries"}]')
})

test('a backup is restored next to the running database, checked, and replaces it', async () => {
  await paste('docs/bare-metal.md', 'install -d -o postgres')
  await paste('docs/bare-metal.md', 'runuser -u postgres -- pg_dump')
  await shell(`runuser -u postgres -- psql -qc 'delete from api.transactions' finance`)
  await paste('docs/bare-metal.md', 'runuser -u postgres -- createdb')
  await paste('docs/bare-metal.md', 'runuser -u postgres -- pg_restore')
  expect(await paste('docs/bare-metal.md', 'cd /opt/finance && DATABASE_URL=')).toMatch(
    /^\d+ rules, 0 broken$/m,
  )
  expect(await transactions()).toBe('[]')
  await paste('docs/bare-metal.md', 'systemctl stop finance')
  await paste('docs/bare-metal.md', 'runuser -u postgres -- psql')
  await paste('docs/bare-metal.md', 'systemctl start finance')
  await shell(ready)
  expect(await transactions()).toBe('[{"name":"Groceries"}]')
  expect(left).toEqual([])
})

test('without DATABASE_URL_FILE the service has a PostgreSQL of its own', async () => {
  await shell(
    `sed -i /^DATABASE_URL_FILE/d /etc/finance/settings.env; systemctl restart finance; ${ready}`,
  )
  expect(await status('/data/transactions')).toBe('200')
  expect(await shell('stat -c "%U %a" /var/lib/finance /var/lib/finance/postgres')).toBe(
    'finance 700\nfinance 700\n',
  )
})
