/** Checks a database against the rules of db/lints, and the files against their hashes. Each rule is a query that returns the objects that break it. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type pg from 'pg'

/** A rule: its name, its sentence, and the query for the objects that break it. */
export type Lint = { name: string, rule: string, sql: string }
/** An object that breaks a rule. `what` names it. */
export type Offence = { lint: string, rule: string, what: string }

/** Reads all rules, sorted by name. A rule begins with the line `-- name: …`. The comment line after it is the sentence. */
export async function lints(): Promise<Lint[]> {
  const folder = `${import.meta.dirname}/lints`
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql'))
  const texts = await Promise.all(files.map((file) => readFile(`${folder}/${file}`, 'utf8')))
  return texts.flatMap((text) => text.split(/^-- name: /m).slice(1)).map((text) => {
    const [, name = '', sql = '', rule = ''] = /^(.*)\n(-- (.*)\n[^]*)/.exec(text) ?? []
    return { name, rule, sql }
  }).toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/** Runs the query of one rule. If the query fails, for example because an object is missing, the rule is broken. */
async function run(client: pg.ClientBase, { name, rule, sql }: Lint): Promise<Offence[]> {
  await client.query('savepoint lint')
  try {
    const { rows } = await client.query<{ what: string }>(sql)
    return rows.map(({ what }) => ({ lint: name, rule, what }))
  } catch (error) {
    await client.query('rollback to savepoint lint')
    return [{ lint: name, rule, what: error instanceof Error ? error.message : String(error) }]
  }
}

/**
 * Checks every rule within the client's open transaction.
 * @returns every object that breaks a rule
 */
export async function checkDatabase(client: pg.ClientBase): Promise<Offence[]> {
  const found: Offence[] = []
  for (const lint of await lints()) found.push(...await run(client, lint))
  return found
}

/** Ready files: their number and bytes in the database, their number in the object storage, and the ids of attachments with damaged files. */
export type FileCheck = { files: number, bytes: number, externalFiles: number, wrong: string[] }

type ReadyFile = { id: string, size: string, sha256: string, file_id: string | null, is_external: boolean | null }

/** Returns the size and the SHA-256 of a file. It reads the chunks separately, so that neither side holds the whole file. */
async function sumUp(client: Pick<pg.Pool, 'query'>, fileId: string): Promise<{ size: number, sha256: string }> {
  const hash = createHash('sha256')
  let size = 0
  for (let number = 0;; number++) {
    const { rows: [chunk] } = await client.query<{ bytes: string }>({
      name: 'read-chunk',
      text: `select encode(bytes, 'base64') as bytes from private.file_chunks where file_id = $1 and number = $2`,
      values: [fileId, number],
    })
    if (chunk === undefined) return { size, sha256: hash.digest('hex') }
    const bytes = Buffer.from(chunk.bytes, 'base64')
    hash.update(bytes)
    size += bytes.length
  }
}

/** Compares the bytes of each file in the database with their size and SHA-256. */
export async function checkFiles(client: Pick<pg.Pool, 'query'>): Promise<FileCheck> {
  const { rows } = await client.query<ReadyFile>(
    `select a.id, a.size, a.sha256, f.id as file_id, f.is_external
     from api.attachments a left join private.files f on f.attachment_id = a.id and f.stored_at is not null
     where a.status = 'ready' order by a.id`,
  )
  const found: FileCheck = { files: 0, bytes: 0, externalFiles: 0, wrong: [] }
  for (const { id, size, sha256, file_id: fileId, is_external: isExternal } of rows) {
    if (isExternal === true) {
      found.externalFiles += 1
      continue
    }
    found.files += 1
    found.bytes += Number(size)
    const sum = fileId === null ? undefined : await sumUp(client, fileId)
    if (sum?.size !== Number(size) || sum.sha256 !== sha256) found.wrong.push(id)
  }
  return found
}
