/**
 * Calls the URL of a monitor after each backup, drill and off-site copy, and its `/fail` after each failure, as healthchecks.io has it. Runs in the
 * container `offsite`, because the containers that make backups have no network. The events are in the metrics of the backup scripts.
 */
import { readFile, rename, stat, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { outboundFetch } from '../../../common/outbound.ts'

const kinds = ['backup', 'drill', 'backup_offsite'] as const
/** The file with the time of the last success of each kind. */
const successFiles = { backup: 'backups/backup.prom', drill: 'backups/drill.prom', backup_offsite: '/state/offsite.prom' }
const failureFiles = { backup: 'backups/backup-failed.prom', drill: 'backups/drill-failed.prom', backup_offsite: '/state/backup_offsite-failed.prom' }

/** Time for one call, in milliseconds, and the pause after a failed one. */
const timeoutMs = 10_000
const pauseMs = 60_000
/** Maximum age of an event in seconds. An older one is not told when a URL is set for the first time. */
const maxAge = 86_400

/** An event. Its name changes with each run. */
type Event = { name: string, hasFailed: boolean }
type Files = { read: (path: string) => Promise<{ text: string, changed: number } | undefined> }

const valueOf = (text: string, metric: string) => Number(new RegExp(`^${metric} (\\S+)$`, 'm').exec(text)?.[1] ?? 'NaN')

/** Returns the newest success and the newest failure of each kind. @param now in seconds */
export async function eventsOf({ read }: Files, now: number): Promise<Event[]> {
  const events: Event[] = []
  for (const kind of kinds) {
    const [succeeded, failed] = [await read(successFiles[kind]), await read(failureFiles[kind])]
    const at = succeeded === undefined ? Number.NaN : valueOf(succeeded.text, `finance_${kind}_last_success_timestamp_seconds`)
    if (now - at < maxAge) events.push({ name: `${kind} ${at}`, hasFailed: false })
    if (failed !== undefined && valueOf(failed.text, `finance_${kind}_failed`) === 1 && now - failed.changed < maxAge)
      events.push({ name: `${kind} failed ${failed.changed}`, hasFailed: true })
  }
  return events
}

/** Returns the URL of a failure: `/fail` at the end of the path. */
export function failureUrl(url: string): string {
  const failed = new URL(url)
  failed.pathname = `${failed.pathname.replace(/\/$/, '')}/fail`
  return failed.href
}

/**
 * Calls the URL for an event.
 * @returns undefined if the monitor took it, otherwise the reason without the URL, whose path is a secret
 */
export async function call(url: string, { hasFailed }: Event): Promise<string | undefined> {
  try {
    const { ok, status } = await outboundFetch(hasFailed ? failureUrl(url) : url, { timeoutMs, readsBody: false })
    // a monitor without this convention notices a failure by the missing call
    return ok || (hasFailed && status === 404) ? undefined : `status ${status}`
  } catch (error) {
    const { name, code } = error as NodeJS.ErrnoException
    return name === 'TimeoutError' ? 'no answer within ten seconds' : code ?? name
  }
}

const read: Files['read'] = async (path) => {
  try {
    return { text: await readFile(path, 'utf8'), changed: Math.floor((await stat(path)).mtimeMs / 1_000) }
  } catch {
    return undefined
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.partial`, text)
  await rename(`${path}.partial`, path)
}

async function main(): Promise<void> {
  const file = process.env['BACKUP_PING_URL_FILE'] ?? ''
  const url = (file === '' ? process.env['BACKUP_PING_URL'] ?? '' : await readFile(file, 'utf8')).trim()
  if (url === '') return
  if (!URL.canParse(url)) throw new Error('BACKUP_PING_URL must be a URL.')
  const seen = '/state/pinged'
  let sent = new Set((await read(seen))?.text.split('\n'))
  for (let reported: string | undefined;;) {
    const events = await eventsOf({ read }, Date.now() / 1_000)
    let problem: string | undefined
    for (const event of events.filter(({ name }) => !sent.has(name))) {
      problem = await call(url, event)
      if (problem !== undefined) break
      sent.add(event.name)
    }
    if (problem !== reported) console.error(problem === undefined ? 'BACKUP_PING_URL answers again.' : `BACKUP_PING_URL was not reached: ${problem}.`)
    reported = problem
    // the events of the present are enough, because each has a name of its own
    sent = new Set(events.map(({ name }) => name).filter((name) => sent.has(name)))
    await replaceFile(seen, [...sent].join('\n'))
    await replaceFile(
      '/state/ping.prom',
      `# HELP finance_backup_ping_failed 1 if the last call of BACKUP_PING_URL failed.\n# TYPE finance_backup_ping_failed gauge\nfinance_backup_ping_failed ${
        problem === undefined ? 0 : 1
      }\n`,
    )
    await sleep(problem === undefined ? 10_000 : pauseMs)
  }
}

if (import.meta.main) {
  await main().catch((error: NodeJS.ErrnoException) => {
    console.error(`No monitor is told of backups: ${error.code ?? error.message}`)
    process.exitCode = 1
  })
}
