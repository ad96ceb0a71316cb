/**
 * Builds the reference app, which `npm start` serves at `/` by default. The first start builds it,
 * and a later start only if its sources have changed. A checkout without the app starts without
 * one.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, glob, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { oneLine } from '../common/errors.ts'

const output = 'app/dist'

/** All files that the build depends on. */
const sources = [
  'package-lock.json',
  'app/*.{ts,html,json}',
  'app/src/**/*.*',
  'app/public/{*,.*}',
  'client/*.ts',
  'client/export/*.ts',
  'bank-files/*.ts',
]

/**
 * The file in a build that holds the hash of its sources. The edge serves no file whose name begins
 * with a dot.
 */
const hashFile = '.made-of'

async function hashOf(root: string): Promise<string> {
  const hash = createHash('sha256')
  const paths: string[] = []
  for await (const path of glob(sources, { cwd: root })) paths.push(path)
  for (const path of paths.toSorted())
    hash.update(`${path}\n`).update(await readFile(join(root, path)))
  return hash.digest('hex')
}

/**
 * Builds the app if necessary.
 * @param root the checkout
 * @param log receives a line before a build and after a failed one
 * @returns the folder of the app; undefined if the checkout has no app or the build failed
 */
export async function referenceApp(
  root: string,
  log: (line: string) => void,
  signal: AbortSignal,
): Promise<string | undefined> {
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const directory = join(root, output)
  // a separate folder for each process, so that two starts do not write into the same one
  const draft = `${directory}.${process.pid}`
  try {
    await Promise.all([access(vite), access(join(root, 'app/index.html'))])
  } catch {
    return undefined
  }
  try {
    const hash = await hashOf(root)
    const isCurrent = async () =>
      await readFile(join(directory, hashFile), 'utf8').catch(() => '') === hash
    if (await isCurrent()) return directory
    log('app   is built, once')
    const command = [
      vite,
      'build',
      join(root, 'app'),
      '--outDir',
      draft,
      '--emptyOutDir',
      '--logLevel',
      'error',
    ]
    await promisify(execFile)(process.execPath, command, {
      env: { ...process.env, NODE_ENV: 'production' },
      signal,
    })
    await writeFile(join(draft, hashFile), hash)
    await rm(directory, { recursive: true, force: true })
    // another start may have built the same sources in the meantime
    await rename(draft, directory).catch(async (error: unknown) => {
      if (!await isCurrent()) throw error
    })
    return directory
  } catch (error) {
    if (!signal.aborted) log(`app   could not be built, so / has no app: ${oneLine(error)}`)
    return undefined
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}
