/**
 * Builds the images of compose.yaml once, before the tests of deployments. Each deployment gets
 * them under its own tags.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { postgrestTag } from '../support/postgrest-tag.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
/** The image names of compose.yaml, without the project. */
const names = ['backend:latest', `backup:latest-pg${process.env['POSTGRES_TAG'] ?? '18'}`]

/** Tags the images for a compose project. */
export async function nameImages(project: string): Promise<void> {
  await Promise.all(
    names.map((name) =>
      run('docker', ['tag', `${process.env['TEST_IMAGES']}-${name}`, `${project}-${name}`])
    ),
  )
}

export default async function build(): Promise<() => Promise<void>> {
  // Used by another project of the same run.
  if (process.env['TEST_IMAGES'] !== undefined) return () => Promise.resolve()
  const project = `finance-test-${process.pid}-built`
  const started = Date.now()
  await run('docker', ['compose', '--profile', 'backup', 'build', '--quiet'], {
    cwd: root,
    env: {
      ...process.env,
      PUBLIC_URL: 'unused',
      SITE_HOST: 'unused',
      COMPOSE_PROJECT_NAME: project,
      POSTGREST_TAG: postgrestTag,
    },
  })
  process.stdout.write(`  images built in ${Date.now() - started} ms\n`)
  process.env['TEST_IMAGES'] = project
  return async () => {
    await run('docker', ['image', 'rm', '-f', ...names.map((name) => `${project}-${name}`)])
  }
}
