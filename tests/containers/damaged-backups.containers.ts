/**
 * A backup that is made under load: damaged at any position it is refused, and whole it restores
 * the same rows.
 */
import { createHash } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newPdf, receiptsOf } from '../support/receipts.ts'
import { changesOf, checksumQuery, exceptSessions, load, root } from './deployment.ts'
import { lost, newStory, say, type Story } from './story.ts'

let story: Story
beforeAll(async () => {
  story = await newStory()
  await story.deployment.up()
  await story.signUp('ann@example.org')
  expect(
    (await story.data('/data/transactions', {
      method: 'POST',
      body: '{"name":"Groceries","amount":-42.5}',
    })).status,
  ).toBe(201)
})
afterAll(async () => {
  await story.deployment.remove()
})

type Backup = { dump: Buffer, sums: string }

/** Stores a backup and its checksums. @returns its path */
async function stored(backup: Backup, signed: Backup): Promise<string> {
  const path = join(story.deployment.directory, 'damaged')
  await writeFile(`${path}.dump`, backup.dump)
  await writeFile(`${path}.sums`, backup.sums)
  const checksum = (content: Buffer | string) => createHash('sha256').update(content).digest('hex')
  await writeFile(
    `${path}.sha256`,
    `${checksum(signed.dump)}  damaged.dump\n${checksum(signed.sums)}  damaged.sums\n`,
  )
  return `${path}.dump`
}

/**
 * Returns a script with at most fifty rows of each table. Without the thousands of rows of the
 * load, each restore takes half the time.
 */
const withFewRows = (script: string): string =>
  script.replace(
    /^(COPY .* FROM stdin;\n)([^]*?)(?=^\\\.$)/gm,
    (_, copy: string, rows: string) => copy + rows.split(/(?<=\n)/).slice(0, 50).join(''),
  )

/**
 * Returns thirty positions of a script where another character changes its meaning, half of them in
 * lines on row security. They are samples, because tests/restore damages every object. Excluded are
 * parts that PostgreSQL ignores: comments, session settings, argument names in references to
 * functions, and names of NOT NULL constraints.
 */
function positionsOf(script: string): { at: number, other: string }[] {
  const all: { at: number, other: string }[] = []
  const guards: { at: number, other: string }[] = []
  let start = 0
  for (const line of script.split('\n')) {
    const said = line
      .replace(
        /^(?:--|SET |SELECT pg_catalog\.set_config|\\(?:un)?restrict).*/,
        (text) => ' '.repeat(text.length),
      )
      .replace(
        /(?<=^(?:ALTER|COMMENT ON|GRANT|REVOKE)\b.*\b(?:FUNCTION|AGGREGATE) [^(]*)\([^)]*\)/,
        (text) => ' '.repeat(text.length),
      )
      .replace(/CONSTRAINT \w+(?= NOT NULL)/, (text) => ' '.repeat(text.length))
    const found = [...said.matchAll(/[A-Za-z0-9]/g)].map(({ 0: was, index }) => ({
      at: start + Buffer.byteLength(line.slice(0, index)),
      other: was === 'z'
        ? 'a'
        : was === 'Z'
        ? 'A'
        : was === '9'
        ? '0'
        : String.fromCharCode(was.charCodeAt(0) + 1),
    }))
    all.push(...found)
    if (/POLICY|ROW LEVEL SECURITY/.test(line)) guards.push(...found.slice(-1))
    start += Buffer.byteLength(line) + 1
  }
  return [guards, all].flatMap((positions) =>
    positions.filter((_, index) => index % Math.ceil(positions.length / 15) === 0)
  )
}
describe('a backup', () => {
  let dump: string
  const receipt = newPdf(3_000)
  let receiptId: string
  const receipts = () =>
    receiptsOf({ url: story.deployment.url, dataUrl: `${story.deployment.url}/data` }, story.ann)

  test('a backup is made under load and passes its drill, which reads every file', async () => {
    // the first transaction, which withFewRows() keeps
    const { body: [first] } = await story.data('/data/transactions?select=id&name=eq.Groceries')
    receiptId = await receipts().attach(first.id, receipt)
    // The docs allow this to operators. A dump does not contain story.deployment.
    await story.deployment.sql(`alter role authenticated set statement_timeout = '9s'`)
    const stop = load(story.deployment, story.token, story.cookie())
    await sleep(500)
    const started = Date.now()
    dump = (await story.deployment.command('backup', '--keep', '2')).trim()
    const took = Date.now() - started
    const missing = await lost(story.deployment, await stop())
    expect(missing).toEqual([])
    expect((await stat(dump)).mode & 0o777).toBe(0o600)
    const drill = await story.deployment.command('restore', '--drill', dump)
    expect(drill).toContain('Files: 1 of 3000 bytes, 0 damaged')
    say(`backup in ${took} ms; ${drill.trim()}`)
    expect(await story.deployment.sql(`select datname from pg_database where datname ~ 'copy'`))
      .toEqual([])
  })

  test('a backup that is damaged is refused, and nothing is changed', async () => {
    const before = await story.deployment.sums()
    const whole = {
      dump: await readFile(dump),
      sums: await readFile(dump.replace('.dump', '.sums'), 'utf8'),
    }
    const refused = async (damaged: Partial<typeof whole>, says: string, isSigned = true) => {
      const file = await stored(
        { ...whole, ...damaged },
        isSigned ? { ...whole, ...damaged } : whole,
      )
      await expect(story.deployment.command('restore', file)).rejects.toThrow(says)
    }
    // First the damage of a disk, then that of an attacker who also rewrites the checksums.
    await refused({ dump: whole.dump.subarray(0, whole.dump.length - 20_000) }, 'checksums', false)
    await refused(
      {
        sums: whole.sums.replace(
          'role setting|authenticated statement_timeout|"9s"',
          'role setting|authenticated statement_timeout|"0"',
        ),
      },
      'checksums',
      false,
    )
    await refused({ dump: whole.dump.subarray(0, whole.dump.length - 20_000) }, 'pg_restore')
    await refused({
      sums: whole.sums.replace(/^rows\|api\.transactions\|"\d+/m, 'rows|api.transactions|"1'),
    }, 'rows api.transactions "1 ')
    const unguarded = whole.dump.toString('latin1').replace(
      'api.transactions ENABLE ROW LEVEL SECURITY',
      'api.transactions SET LOGGED               ',
    )
    await refused({ dump: Buffer.from(unguarded, 'latin1') }, 'table api.transactions')
    const everybody = whole.dump.toString('latin1').replace(
      /(CREATE POLICY tags_delete .*? USING )(\(.*?\));\n/s,
      (_all, start: string, rule: string) => `${start}${'(true)'.padEnd(rule.length)};\n`,
    )
    await refused({ dump: Buffer.from(everybody, 'latin1') }, 'policy api.tags tags_delete')
    expect(changesOf(before, await story.deployment.sums())).toEqual([])
    expect(await story.deployment.sql(`select datname from pg_database where datname ~ 'copy'`))
      .toEqual([])
  })

  test('a backup that is damaged at any position is refused', async () => {
    const bytes = await readFile(dump)
    const sums = await readFile(dump.replace('.dump', '.sums'), 'utf8')
    // Samples from the first to the last byte.
    const positions = Array.from(
      { length: 30 },
      (_, index) => Math.floor(index * (bytes.length - 1) / 29),
    )
    const damaged = await stored({ dump: bytes, sums }, { dump: bytes, sums })
    for (const position of positions) {
      const other = Buffer.from(bytes)
      other.writeUInt8(bytes.readUInt8(position) ^ 1 << position % 8, position)
      await writeFile(damaged, other)
      await expect(story.deployment.command('restore', damaged), `byte ${position}`).rejects
        .toThrow('checksums')
    }
  })

  test('a backup with another character in its script, in policies or elsewhere, does not restore as the same', async () => {
    const script = withFewRows(
      await story.deployment.inDatabase(['pg_restore', '-f', '-'], await readFile(dump)),
    )
    const positions = positionsOf(script)
    await story.deployment.inDatabase([
      'sh',
      '-c',
      'mkdir /tmp/damage && cat >/tmp/damage/dump.sql',
    ], script)
    await story.deployment.inDatabase(
      ['sh', '-c', 'cat >/tmp/damage/ask.sql'],
      await checksumQuery(story.deployment.directory),
    )
    await story.deployment.inDatabase(
      ['sh', '-c', 'cat >/tmp/damage/places'],
      positions.map(({ at, other }) => `${at} ${other}\n`).join(''),
    )
    const started = Date.now()
    const unnoticed = (await story.deployment.inDatabase(
      ['bash', '-s'],
      await readFile(join(root, 'tests/containers/damage.sh')),
    )).split('\n').filter((line) => line !== '')
    await story.deployment.inDatabase(['rm', '-r', '/tmp/damage'], '')
    say(
      `${positions.length} damages of a script of ${script.length} characters in ${
        Date.now() - started
      } ms`,
    )
    const bytes = Buffer.from(script)
    expect(
      unnoticed.map((line) =>
        bytes.subarray(Number.parseInt(line, 10) - 60, Number.parseInt(line, 10) + 20).toString()
      ),
    ).toEqual([])
  })

  test('a backup is restored into an empty deployment, row by row the same', async () => {
    await story.deployment.compose('down', '--volumes')
    await story.deployment.up()
    expect(await story.deployment.sql('select count(*) from auth.users')).toEqual(['0'])
    const started = Date.now()
    await story.deployment.command('restore', dump)
    const sums = exceptSessions((await story.deployment.sums()).values())
    say(`restored in ${Date.now() - started} ms: ${sums.length} definitions and tables compared`)
    expect(sums).toEqual(
      exceptSessions((await readFile(dump.replace('.dump', '.sums'), 'utf8')).trim().split('\n')),
    )
    expect(sums).toContain('role setting|authenticated statement_timeout|"9s"')
    // A session and a token from before the restore.
    expect((await story.ann.get('/get-session')).status).toBe(401)
    expect((await story.data('/data/transactions')).status).toBe(401)
    await story.ann.signIn()
    story.token = await story.ann.token()
    expect((await story.data('/data/transactions?select=name&name=eq.Groceries')).body).toEqual([{
      name: 'Groceries',
    }])
    expect((await receipts().read(receiptId)).equals(receipt)).toBe(true)
  })
})
