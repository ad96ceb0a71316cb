/**
 * A machine without Docker, as docs/bare-metal.md says: the units in a systemd that runs, from nothing to an upgrade that
 * fails, as its owner lives through it: one story, so each test starts where the one before ended. The machine is a
 * container, because a test cannot reboot the one it runs on.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectMainJob, mainJob } from '../support/main-job.ts'
import { root, run } from './deployment.ts'

let machine: string
/** A script, as root, in the checkout. @returns what it printed */
const shell = (script: string) => run('docker', ['exec', '-w', '/root/finance', machine, 'bash', '-euc', script])
const docs = await readFile(join(root, 'docs/bare-metal.md'), 'utf8')

/** The same script with the outcome in place of an exception. */
async function outcome(script: string): Promise<{ code: number, output: string }> {
  const output = await shell(`set +e; { ${script}; } 2>&1; echo "exit $?"`)
  return { code: Number(/exit (\d+)\n$/.exec(output)?.[1]), output }
}

const serves = (stack = 'finance') => shell(`readlink /opt/${stack}/current`).then((version) => version.trim())
const commit = (change: string) => shell(`${change}; git add -A; git commit -qm change; git rev-parse --short=12 HEAD`).then((version) => version.trim())

/** What both surfaces answer to somebody without a session. */
const asUsual = ['200 data/transactions', '401 api/auth/get-session']

/** Starts asking both surfaces over TLS. @returns the function that stops it and tells every status that was answered */
async function asking(): Promise<() => Promise<string[]>> {
  await run('docker', [
    'exec',
    '-d',
    machine,
    'bash',
    '-c',
    `
    rm -f /tmp/stop
    until [ -e /tmp/stop ]; do
      for path in data/transactions api/auth/get-session; do curl -s --cacert /root/root.crt -o /dev/null -w "%{http_code} $path\\n" https://localhost/$path; done
    done >/tmp/statuses; touch /tmp/stopped`,
  ])
  return async () => {
    await shell('touch /tmp/stop; until [ -e /tmp/stopped ]; do :; done; rm /tmp/stopped')
    return [...new Set((await shell('cat /tmp/statuses')).trim().split('\n'))].toSorted()
  }
}

beforeAll(async () => {
  const image = 'finance-test-machine'
  await run('docker', ['build', '--quiet', '-t', image, join(import.meta.dirname, 'bare-metal')])
  // what an init needs of a container; not --privileged, which no engine inside a container may give
  const allowed = ['--cap-add=ALL', '--cap-drop=SYS_RESOURCE', '--security-opt=seccomp=unconfined', '--security-opt=apparmor=unconfined', '--cgroupns=private']
  const npm = ['-e', 'NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt']
  machine = (await run('docker', ['run', '-d', ...allowed, ...npm, '--tmpfs=/run', image])).trim()
  const archive = await mkdtemp(join(tmpdir(), 'finance-checkout-'))
  await run('bash', ['-euc', `git ls-files -z -co --exclude-standard | xargs -0 ls -d 2>/dev/null | tar cf ${archive}/tree.tar -T -`], { cwd: root })
  await run('docker', ['cp', join(archive, 'tree.tar'), `${machine}:/root/tree.tar`])
  await rm(archive, { recursive: true })
  await run('docker', [
    'exec',
    machine,
    'bash',
    '-euc',
    `
    # as git makes a checkout under a strict umask
    mkdir /root/finance; cd /root/finance; tar xf ../tree.tar; chmod -R go-rwx .; git init -q
    git config user.email owner@example.org; git config user.name Owner; git add -A; git commit -qm first
    systemctl is-system-running --wait || systemctl --failed`,
  ])
})
afterAll(async () => {
  await run('docker', ['rm', '-f', machine])
})

test('one command brings everything up, and the main job works over TLS', async () => {
  expect(await shell('infra/systemd/setup')).toContain('No mail provider is set')
  expect(await serves()).toBe((await shell('git rev-parse --short=12 HEAD')).trim())
  await shell(`root=/var/lib/finance-caddy/caddy/pki/authorities/local/root.crt
    timeout 30 bash -c "until [ -e $root ]; do sleep 0.2; done"; cp $root /root/root.crt`)
  expectMainJob(
    await shell(`AUTH=https://localhost/api/auth DATA=https://localhost/data; export CURL_CA_BUNDLE=/root/root.crt
    mails() { journalctl -u finance-auth -o cat; }
    ${mainJob.anywhere}`),
  )
  expect((await shell('stat -c %a /etc/finance/*.env')).trim().split('\n')).toEqual(['600', '600', '600', '600'])
})

/** What somebody with a browser is answered: the status, where it leads on to, and the policy. */
const opened = (path: string) =>
  shell(`curl -s --cacert /root/root.crt -o /dev/null -H 'accept: text/html' \
    -w '%{http_code} %{redirect_url} %header{content-security-policy}' 'https://localhost${path}'`)

test('the address has the reference app, to which mailed links lead, and with APP_DIR=none neither', async () => {
  const policy = (await readFile(join(root, 'examples/app/public/.content-security-policy'), 'utf8')).trim()
  expect([await opened('/'), await opened('/transactions')]).toEqual([`200  ${policy}`, `200  ${policy}`])
  expect(await opened('/api/auth/verify-email?token=used')).toMatch(/^303 https:\/\/localhost\/verify-email\?error=/)
  const apply = `systemctl restart finance-auth; systemctl reload finance-caddy
    curl -fsS -o /dev/null --retry 60 --retry-delay 1 --retry-all-errors http://127.0.0.1:8080/healthz`
  await shell(`echo APP_DIR=none | tee -a /etc/finance/auth.env >>/etc/finance/caddy.env; ${apply}`)
  expect(await opened('/transactions')).toMatch(/^404/)
  expect(await shell('curl -s --cacert /root/root.crt https://localhost/')).toContain('"docs":"https://localhost/docs"')
  expect(await opened('/api/auth/verify-email?token=used')).not.toContain('localhost/verify-email')
  await shell(`sed -i /^APP_DIR/d /etc/finance/auth.env /etc/finance/caddy.env; ${apply}`)
})

test('nothing listens that the docs do not name, and nothing but the edge is open to other machines', async () => {
  const listening = (await shell('ss -ltnH')).trim().split('\n').map((line) => line.split(/\s+/)[3]?.replace(/^\*:|^0\.0\.0\.0:|^\[::\]:/, '') ?? '')
  const named = [...docs.matchAll(/^\| ([\d.:, ]+) \|/gm)].flatMap(([, ports = '']) => ports.split(', '))
  expect([...new Set(listening)].filter((address) => !address.startsWith('[::1]')).toSorted()).toEqual(named.toSorted())
})

test('no service runs as root or as another does, and what they are told is root’s alone', async () => {
  const users = await shell('for unit in auth postgrest caddy; do stat -c %u "/proc/$(systemctl show -P MainPID finance-$unit)"; done')
  const ids = users.trim().split('\n')
  expect(new Set(ids).size).toBe(3)
  expect(ids).not.toContain('0')
  expect((await outcome('runuser -u finance -- cat /etc/finance/auth.env')).output).toContain('Permission denied')
})

test('the operator’s command says how it is called here', async () => {
  expect(await shell('infra/systemd/admin users')).toContain('ann@example.com')
  expect(await outcome('infra/systemd/admin dance')).toEqual({ code: 1, output: expect.stringContaining('`infra/systemd/admin --help` shows how') })
})

const section = (title: string) => new RegExp(`^## ${title}\\n[^]*?(?=^## )`, 'm').exec(docs)?.[0] ?? ''

test('a backup passes its drill and is put back, as the page says', async () => {
  const pasted = [...section('Backup and restore').matchAll(/```sh\n([^]*?)```/g)].map(([, commands]) => commands).join('')
  const said = await shell(pasted)
  expect(said.match(/Checked \d+ definitions, \d+ tables, \d+ rows: all as they were\./g)).toHaveLength(2)
  expect(said).toMatch(/Restored\. What was there before is the database finance_before_\d+; when you are sure, remove it:\n {2}runuser -u postgres -- dropdb/)
  expect((await shell('stat -c %a /var/backups/finance/*')).trim().split('\n')).toEqual(['600', '600', '600', '600'])
  expect(await shell('infra/systemd/admin users')).toContain('ann@example.com')
  expect(await shell(`runuser -u postgres -- psql -XqAt -c "select datname from pg_database where datname like 'finance%copy%'"`)).toBe('')
})

test('a backup that is damaged, or holds other than it says, is refused while what serves goes on', async () => {
  const pid = () => shell('systemctl show -P MainPID finance-auth')
  const before = await pid()
  await shell(`rm -rf /tmp/damaged; mkdir /tmp/damaged; cp /var/backups/finance/finance-*.{dump,sums,sha256} /tmp/damaged
    cd /tmp/damaged; for file in *; do mv "$file" "backup.\${file##*.}"; done; printf x | dd of=backup.dump bs=1 seek=5000 conv=notrunc status=none`)
  expect(await outcome('infra/systemd/restore /tmp/damaged/backup.dump')).toEqual({ code: 1, output: expect.stringContaining('checksums') })
  // a whole one of a database without a row rule, under the sums of one that has it
  await shell(`runuser -u postgres -- psql -qc 'alter table api.transactions disable row level security' finance
    dump=$(infra/systemd/backup /tmp/without)
    runuser -u postgres -- psql -qc 'alter table api.transactions enable row level security' finance
    cp "$dump" /tmp/damaged/backup.dump; cd /tmp/damaged; sha256sum backup.dump backup.sums >backup.sha256`)
  const { code, output } = await outcome('infra/systemd/restore /tmp/damaged/backup.dump')
  expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('The backup is damaged: these are not what it says they were.') })
  expect(output).toContain('api.transactions')
  expect(await pid()).toBe(before)
  expect(await outcome('infra/systemd/restore --at latest')).toEqual({ code: 1, output: expect.stringContaining("compose's alone") })
})

test('traces come to the collector that the page’s line names, and Node’s heap is half of the unit’s memory', async () => {
  const [line = ''] = /^OTEL_EXPORTER_OTLP_ENDPOINT=.*$/m.exec(section('Traces')) ?? []
  await shell(`echo '${line}' >>/etc/finance/auth.env
    systemd-run --quiet --unit collector node -e "require('http').createServer((asked, answer) => { console.log(asked.url); answer.end() }).listen(4318, '127.0.0.1')"
    systemctl restart finance-auth; curl -fsS -o /dev/null --retry 60 --retry-delay 1 --retry-all-errors http://127.0.0.1:3000/readyz
    curl -s -o /dev/null http://127.0.0.1:8080/api/auth/jwks
    timeout 30 bash -c 'until journalctl -u collector -o cat | grep -q /v1/traces; do sleep 0.2; done'
    systemctl stop collector; sed -i '/^OTEL_/d' /etc/finance/auth.env; systemctl restart finance-auth
    curl -fsS -o /dev/null --retry 60 --retry-delay 1 --retry-all-errors http://127.0.0.1:8080/healthz`)
  const [memory, heap] =
    (await shell(`systemctl show -P MemoryMax finance-auth; tr '\\0' '\\n' <"/proc/$(systemctl show -P MainPID finance-auth)/cmdline" | grep old-space`)).trim()
      .split('\n')
  expect(heap).toBe(`--max-old-space-size=${Number(memory) / 2 ** 21}`)
})

test('the proxy reloads: a changed limit holds, and it is the same process', async () => {
  const pid = () => shell('systemctl show -P MainPID finance-caddy')
  const sends = (bytes: number) =>
    shell(`head -c ${bytes} /dev/zero | curl -s --cacert /root/root.crt -o /dev/null -w '%{http_code}' -H 'authorization: Bearer x' \\
      -H 'content-type: application/json' --data-binary @- https://localhost/data/transactions`)
  const before = await pid()
  expect(await sends(200_000)).toBe('401')
  await shell('echo DATA_BODY_LIMIT=100000 >>/etc/finance/caddy.env; systemctl reload finance-caddy')
  expect(await sends(200_000)).toBe('413')
  expect(await pid()).toBe(before)
})

test('a database that is late at boot is waited for', async () => {
  await shell('systemctl disable --quiet postgresql')
  await run('docker', ['restart', machine])
  // more often than systemd would try by itself
  await shell(`timeout 120 bash -c 'until [ "$(systemctl show -P NRestarts finance-auth 2>/dev/null || echo 0)" -ge 6 ]; do sleep 0.5; done'`)
  await shell(`systemctl enable --quiet postgresql; systemctl start postgresql
    for path in 3000/readyz 3002/ready; do curl -fsS -o /dev/null --retry 60 --retry-delay 1 --retry-all-errors http://127.0.0.1:$path; done`)
  expect(await shell('curl -s --retry 20 --retry-all-errors --cacert /root/root.crt https://localhost/data/transactions')).toBe('[]')
})

test('an upgrade that cannot migrate leaves the old version serving, and startable', async () => {
  const old = await serves()
  await commit(`echo 'select 1 / 0;' >db/migrations/9999_impossible.sql`)
  const stop = await asking()
  const { code, output } = await outcome('infra/systemd/upgrade')
  const answered = await stop()
  await shell('git reset -q --hard HEAD^')
  expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('division by zero') })
  expect(answered).toEqual(asUsual)
  expect(await serves()).toBe(old)
  await run('docker', ['restart', machine])
  await shell('curl -fsS -o /dev/null --retry 60 --retry-delay 1 --retry-all-errors --cacert /root/root.crt https://localhost/data/transactions')
})

test('an upgrade whose service does not become ready goes back by itself', async () => {
  const old = await serves()
  await commit(`echo 'throw new Error("broken")' >>auth/main.ts`)
  const { code, output } = await outcome('infra/systemd/upgrade')
  await shell('git reset -q --hard HEAD^')
  expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(`Going back to ${old}`) })
  expect(await serves()).toBe(old)
  // which is not what a rollback would go back to
  expect((await outcome('infra/systemd/rollback')).output).toContain('nothing to go back to')
  expect(await shell(`curl -s -o /dev/null -w '%{http_code}' --cacert /root/root.crt https://localhost/api/auth/get-session`)).toBe('401')
})

test('an upgrade changes over while people work, and one command goes back', async () => {
  const old = await serves()
  const stop = await asking()
  const next = await commit('echo >>auth/main.ts')
  expect(await shell('infra/systemd/upgrade')).toContain(`${next} serves.`)
  expect(await serves()).toBe(next)
  expect(await shell('infra/systemd/rollback')).toContain(`${old} serves.`)
  expect(await serves()).toBe(old)
  expect(await stop()).toEqual(asUsual)
})

test('an app elsewhere, which older versions told the auth service alone, stays the only one at an upgrade', async () => {
  await shell('echo APP_URL=https://app.example.org >>/etc/finance/auth.env; infra/systemd/upgrade')
  expect(await opened('/transactions')).toMatch(/^404/)
  await shell(`sed -i /^APP_URL/d /etc/finance/auth.env /etc/finance/caddy.env; systemctl restart finance-auth; systemctl reload finance-caddy
    curl -fsS -o /dev/null --retry 60 --retry-delay 1 --retry-all-errors http://127.0.0.1:8080/healthz`)
  expect(await opened('/transactions')).toMatch(/^200/)
})

test('a database password is changed as the docs say', async () => {
  await shell(`
    sed -i 's/^AUTH_SERVICE_PASSWORD=.*/AUTH_SERVICE_PASSWORD=another-password/' /etc/finance/migrate.env
    sed -i 's/^PGPASSWORD=.*/PGPASSWORD=another-password/' /etc/finance/auth.env
    systemctl restart finance-migrate@current finance-auth finance-postgrest
    curl -fsS -o /dev/null --retry 60 --retry-delay 1 --retry-all-errors http://127.0.0.1:3000/readyz`)
})

test('two on one machine do not touch each other', async () => {
  await shell(`pg_createcluster --port 5433 "$(ls /etc/postgresql)" second; systemctl start "postgresql@$(ls /etc/postgresql)-second"
    STACK=second PORT=4000 HTTP_PORT=8081 PLAIN_PORT=8082 METRICS_PORT=9181 PGPORT=5433 infra/systemd/setup https://localhost:8443`)
  expect((await shell('STACK=second infra/systemd/admin users')).trim().split('\n')).toHaveLength(1)
  expect(await shell('infra/systemd/admin users')).toContain('ann@example.com')
  // each is backed up by its own
  expect(await shell('STACK=second infra/systemd/restore --drill "$(STACK=second infra/systemd/backup)"; ls /var/backups/second')).toMatch(
    /as they were[^]*finance-.*dump/,
  )
  const status = (port: number) => shell(`curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:${port}/data/transactions || true`)
  expect([await status(8080), await status(8082)]).toEqual(['200', '200'])
  await shell('systemctl stop second-auth second-postgrest second-caddy postgresql@*-second')
  expect([await status(8080), await status(8082)]).toEqual(['200', '000'])
})
