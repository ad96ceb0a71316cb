/** The version floors of the programs on this machine. */
import { execFile } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { collationChangeSql } from '../common/collation.ts'
import { belowFloors, databaseVersionsSql, type Versions } from '../common/floors.ts'
import { connect } from '../db/connect.ts'

/**
 * Prints a line for each program below its floor: PostgreSQL and PostgREST, and one if the library
 * that sorts texts has changed. No service can reach the known flaws of Node, so only `admin
 * status` names it. `versions` overrides the versions that it finds.
 */
export async function reportFloors(databaseUrl: string, versions: Versions = {}): Promise<void> {
  const client = await connect(databaseUrl)
  try {
    const { rows: [database] } = await client.query<Versions>(databaseVersionsSql)
    for (const { line } of belowFloors({ ...database, ...versions })) console.error(line)
    for (const { warning } of (await client.query<{ warning: string }>(collationChangeSql)).rows)
      console.error(warning)
  } finally {
    await client.end()
  }
}

const isBelow = (node: string) => belowFloors({ node }).length > 0

/**
 * Returns the Node for the services: this one or, if it is below its floor, a newer one on the
 * PATH. The npm package `node` lacks some releases, so that this Node may be too old.
 */
export async function serviceNode(
  path = process.env['PATH'] ?? '',
  current = process.versions.node,
): Promise<{ command: string, version: string }> {
  const directories = isBelow(current)
    ? path.split(delimiter).filter((directory) => directory.startsWith('/'))
    : []
  for (const directory of directories) {
    const command = join(directory, 'node')
    const { stdout } = await promisify(execFile)(command, ['--version'], { timeout: 3_000 }).catch(
      () => ({ stdout: '' }),
    )
    const version = /^v(\d+\.\d+\.\d+)$/.exec(stdout.trim())?.[1]
    // the sources need at least the current major version
    if (
      version !== undefined && Number.parseInt(version, 10) >= Number.parseInt(current, 10) &&
      !isBelow(version)
    ) return { command, version }
  }
  return { command: process.execPath, version: current }
}
