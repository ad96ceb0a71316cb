/**
 * Calls the URL of a monitor after each backup, drill and off-site copy, and its `/fail` after each
 * failure, as healthchecks.io has it. Runs in the container `offsite`, because the containers that
 * make backups have no network. The events are in the metrics of the backup scripts.
 */
import { readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { outboundFetch } from '../../../common/outbound.ts'
import { expositionOf } from '../serve-metrics.ts'

const kinds = ['backup', 'drill', 'backup_offsite'] as const
/** The file with the time of the last success of each kind. */
const successFiles = {
  backup: 'backups/backup.prom',
  drill: 'backups/drill.prom',
  backup_offsite: '/state/offsite.prom',
}
const failureFiles = {
  backup: 'backups/backup-failed.prom',
  drill: 'backups/drill-failed.prom',
  backup_offsite: '/state/backup_offsite-failed.prom',
}

/** Time for one call, in milliseconds, and the pause after a failed one. */
const timeoutMs = 10_000
const pauseMs = 60_000
/** Maximum age of a success in seconds. A new URL receives no older one. */
const maxAge = 86_400
/** A failed drill is tried again after a day, and is still a failure until that attempt ends. */
const maxFailureAge = 2 * maxAge

/** An event. Its name changes with each run. */
type Event = { name: string, hasFailed: boolean }
type Files = { read: (path: string) => Promise<{ text: string, changed: number } | undefined> }

const valueOf = (text: string, metric: string) =>
  Number(new RegExp(`^${metric} (\\S+)$`, 'm').exec(text)?.[1] ?? 'NaN')

/**
 * Returns the newest success of each kind, and then the failures that still last. A new success
 * makes a failure of another kind a new event, so that the last call of a monitor is the one at
 * `/fail`.
 * @param now in seconds
 */
export async function eventsOf({ read }: Files, now: number): Promise<Event[]> {
  const successes: Event[] = []
  const failures: string[] = []
  const newest: string[] = []
  for (const kind of kinds) {
    const [succeeded, failed] = [await read(successFiles[kind]), await read(failureFiles[kind])]
    const at = succeeded === undefined
      ? Number.NaN
      : valueOf(succeeded.text, `finance_${kind}_last_success_timestamp_seconds`)
    newest.push(String(at))
    if (now - at < maxAge) successes.push({ name: `${kind} ${at}`, hasFailed: false })
    // A backup by hand succeeds after the failure of the schedule, which has not tried again. Its
    // name is the time of its start, so the time of the file decides. A time in the future comes
    // from a wrong clock, and ends no failure.
    const isOver = succeeded !== undefined && failed !== undefined &&
      succeeded.changed > failed.changed && at <= now
    const isFailed = failed !== undefined && valueOf(failed.text, `finance_${kind}_failed`) === 1 &&
      !isOver
    if (isFailed && now - failed.changed < maxFailureAge)
      failures.push(`${kind} failed ${failed.changed}`)
  }
  return [
    ...successes,
    ...failures.map((name) => ({ name: `${name}, after ${newest.join(' ')}`, hasFailed: true })),
  ]
}

/** Returns the URL of a failure: `/fail` at the end of the path. */
export function failureUrl(url: string): string {
  const failed = new URL(url)
  failed.pathname = `${failed.pathname.replace(/\/$/, '')}/fail`
  return failed.href
}

/**
 * Calls the URL for an event.
 * @returns undefined if the monitor took it, otherwise the reason without the URL, whose path is a
 * secret
 */
export async function call(url: string, { hasFailed }: Event): Promise<string | undefined> {
  try {
    const { ok, status } = await outboundFetch(hasFailed ? failureUrl(url) : url, {
      timeoutMs,
      readsBody: false,
    })
    // a monitor without this convention notices a failure by the missing call
    return ok || (hasFailed && status === 404) ? undefined : `status ${status}`
  } catch (error) {
    const { name, code } = error as NodeJS.ErrnoException
    return name === 'TimeoutError' ? 'no answer within ten seconds' : code ?? name
  }
}

const read: Files['read'] = async (path) => {
  try {
    return {
      text: await readFile(path, 'utf8'),
      changed: Math.floor((await stat(path)).mtimeMs / 1_000),
    }
  } catch {
    return undefined
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.partial`, text)
  await rename(`${path}.partial`, path)
}

/** Returns the kinds of the failures among the names of events. */
const failingKinds = (names: Iterable<string>): string[] =>
  [...names].filter((name) => name.includes(' failed ')).map((name) => name.split(' ', 1).join())

/**
 * Tells the events that are new, and stores them and the metric in the folder `state`.
 * @param sent the names of the events that the monitor has received; the function updates it
 * @returns undefined, or the reason of a failure without the URL
 */
export async function report(
  url: string,
  files: Files & { state: string },
  sent: Set<string>,
  now: number,
): Promise<string | undefined> {
  const events = await eventsOf(files, now)
  const lasting = failingKinds(events.map(({ name }) => name))
  const hasRecovered = failingKinds(sent).some((kind) => !lasting.includes(kind))
  // A repeated copy succeeds without a new name. Without another call the check would stay red.
  if (hasRecovered && events.every(({ name }) => sent.has(name))) sent.clear()
  const parsed = URL.parse(url)
  const isUsable = parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.username === ''
  let problem = isUsable
    ? undefined
    : 'it must be a URL that begins with https:// or http:// and has no user name'
  for (const event of events.filter(({ name }) => !sent.has(name))) {
    problem ??= await call(url, event)
    if (problem === undefined) sent.add(event.name)
  }
  // the events of the present are enough, because each has a name of its own
  for (const name of sent) if (events.every((event) => event.name !== name)) sent.delete(name)
  // a full disk must not end the calls
  try {
    await replaceFile(join(files.state, 'pinged'), [...sent].join('\n'))
    const help = '1 if the last call of BACKUP_PING_URL failed.'
    await replaceFile(
      join(files.state, 'ping.prom'),
      expositionOf([{
        name: 'finance_backup_ping_failed',
        help,
        value: problem === undefined ? 0 : 1,
      }]),
    )
  } catch (error) {
    problem ??= `its state cannot be stored (${(error as NodeJS.ErrnoException).code})`
  }
  return problem
}

async function main(): Promise<void> {
  const file = process.env['BACKUP_PING_URL_FILE'] ?? ''
  const url = (file === '' ? process.env['BACKUP_PING_URL'] ?? '' : await readFile(file, 'utf8'))
    .trim()
  if (url === '') return
  const state = '/state'
  const sent = new Set((await read(join(state, 'pinged')))?.text.split('\n'))
  for (let reported: string | undefined;;) {
    const problem = await report(url, { read, state }, sent, Date.now() / 1_000)
    if (problem !== reported)
      console.error(
        problem === undefined
          ? 'BACKUP_PING_URL works again.'
          : `BACKUP_PING_URL does not work: ${problem}.`,
      )
    reported = problem
    await sleep(problem === undefined ? 10_000 : pauseMs)
  }
}

if (import.meta.main) {
  await main().catch((error: NodeJS.ErrnoException) => {
    console.error(`The monitor of the backups cannot be reached: ${error.code ?? error.message}`)
    process.exitCode = 1
  })
}
