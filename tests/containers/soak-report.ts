/**
 * The figures of a soak: memory and processor time of each container, the slowest kinds of
 * requests, and the page that a release publishes.
 */
import { writeFile } from 'node:fs/promises'
import { arch, cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { quantile } from '../bench/stack.ts'
import { run, type Deployment, type Service } from './deployment.ts'
import { engine } from './engine.ts'
import type { Measured } from './soak-load.ts'

const MiB = 1024 * 1024

/** `limit` is the memory limit in MiB. */
export type Container = {
  service: Service
  id: string
  restarts: number
  outOfMemory: boolean
  limit: number
}

export async function containerOf(deployment: Deployment, service: Service): Promise<Container> {
  const id = (await deployment.compose('ps', '-q', service)).trim()
  const [{ RestartCount: restarts, State: { OOMKilled: outOfMemory }, HostConfig: { Memory } }] =
    JSON.parse(await run('docker', ['inspect', id]))
  return { service, id, restarts, outOfMemory, limit: Memory / MiB }
}

/**
 * `memory` is in MiB, without the kernel's file cache. `cpuSeconds` counts since the start of the
 * container.
 */
export type Usage = { memory: number, cpuSeconds: number }

/**
 * Reads the usage of a container from Docker's API, because `docker stats` prints no processor
 * time.
 */
export async function usageOf({ id }: Container): Promise<Usage> {
  const { cpu_stats, memory_stats: { usage, stats } } = JSON.parse(
    (await engine(`/containers/${id}/stats?stream=false&one-shot=true`)).toString(),
  )
  return {
    memory: (usage - (stats.inactive_file ?? stats.total_inactive_file ?? 0)) / MiB,
    cpuSeconds: cpu_stats.cpu_usage.total_usage / 1e9,
  }
}

/**
 * Lets PostgreSQL count its statements. Call it before the first start, and `beginCounting` after
 * it.
 */
export async function prepareCounting(deployment: Deployment): Promise<void> {
  const command =
    '[postgres, -c, max_slot_wal_keep_size=2GB, -c, shared_preload_libraries=pg_stat_statements]'
  await writeFile(
    join(deployment.directory, 'statements.yaml'),
    `services: { db: { command: ${command} } }\n`,
  )
  await deployment.configure({ COMPOSE_FILE: 'compose.yaml:statements.yaml' })
}

export const beginCounting = (deployment: Deployment): Promise<unknown> =>
  deployment.sql('create extension pg_stat_statements schema public')

/**
 * Returns the ten statements that took the most time, as rows of a table. They contain no values.
 */
const dearestStatements = (deployment: Deployment): Promise<string[]> =>
  deployment.sql(`
    select format('| %s %% | %s | %s | %s | \`%s\` |', round((100 * total_exec_time / sum(total_exec_time) over ())::numeric, 1), calls,
      round(mean_exec_time::numeric, 2), r.rolname, left(replace(regexp_replace(s.query, '\\s+', ' ', 'g'), '|', '¦'), 160))
    from pg_stat_statements s join pg_roles r on r.oid = s.userid
    where s.dbid = (select oid from pg_database where datname = current_database())
    order by total_exec_time desc limit 10`)

const ms = (value: number) => value.toFixed(value < 10 ? 1 : 0)

/** The measurements of one soak. */
export type Soak = {
  minutes: number
  users: number
  measured: Measured
  containers: { container: Container, samples: Usage[] }[]
}

/** Returns the requests by kind, as rows of a table. */
const requestRows = ({ measured: { times, unexpected }, minutes }: Soak): string[] =>
  [...times].map(([kind, all]) => {
    const failed = Object.entries(unexpected).filter(([name]) => name.startsWith(`${kind} `))
      .reduce((sum, [, number]) => sum + number, 0)
    const percentiles = [0.5, 0.95, 0.99, 1].map((part) => ms(quantile(all, part)))
    return `| ${kind} | ${all.length} | ${(all.length / minutes / 60).toFixed(1)} | ${failed} | ${
      percentiles.join(' | ')
    } |`
  })

/**
 * Returns the page of a release. @param version the version of the release @param programs the
 * versions of the running programs
 */
export async function figuresPage(
  deployment: Deployment,
  version: string,
  programs: string[],
  soak: Soak,
): Promise<string> {
  const { minutes, users, measured, containers } = soak
  const requests = [...measured.times.values()].reduce((sum, all) => sum + all.length, 0)
  const cores = cpus().length
  const memoryRows = containers.map(({ container: { service, limit }, samples }) => {
    const memory = samples.map((sample) => sample.memory)
    const cpu = (samples.at(-1)?.cpuSeconds ?? 0) - (samples[0]?.cpuSeconds ?? 0)
    return `| ${service} | ${quantile(memory, 0.5).toFixed(0)} | ${
      Math.max(...memory).toFixed(0)
    } | ${limit} | ${(cpu / minutes / 60).toFixed(2)} | ${(cpu * 1_000 / requests).toFixed(2)} |`
  })
  return `# Figures of ${version}

This page is for operators who plan capacity. \`npm run figures\` measured it: ${users} users worked for ${minutes} minutes without a pause, in the containers of
\`compose.yaml\` at their memory limits. The users ran on the same machine, and shared its processors with the product.

- **Machine**: ${cores} cores (${cpus()[0]?.model.trim() ?? 'unknown'}, ${arch()}), ${
    (totalmem() / 1024 ** 3).toFixed(0)
  } GiB, Linux ${release()}.
- **Programs**: ${programs.join(', ')}.
- **Data**: each user has 2,000 transactions at the start, and adds one with each turn.
- **Total**: ${requests} requests, ${(requests / minutes / 60).toFixed(0)} a second, ${
    (requests / minutes / 60 / cores).toFixed(0)
  } a second for each core.

## Requests

Times are in milliseconds, from the request to the whole response.

| request | number | a second | failed | half | 95 of 100 | 99 of 100 | longest |
|---|---|---|---|---|---|---|---|
${requestRows(soak).join('\n')}

## Containers

Memory is in MiB, without the kernel's file cache.

| service | median memory | most | limit | cores in use | CPU time for each request, ms |
|---|---|---|---|---|---|
${memoryRows.join('\n')}

## Statements of the database

The ten statements that took the most time. \`$1\` stands for a value.

| part of all time | calls | mean ms | role | statement |
|---|---|---|---|---|
${(await dearestStatements(deployment)).join('\n')}
`
}
