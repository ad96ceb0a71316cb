/**
 * The reference app, which `npm start` serves at `/` where nobody names another: built when it is first wanted, and again
 * when what it is made of has changed. A checkout without it starts without an app.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, glob, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { oneLine } from '../../common/errors.ts'

/** Where it is built into, below the checkout. */
const built = 'examples/app/dist'

/** What the build is made of. */
const sources = [
  'package-lock.json',
  'examples/app/*.{ts,html,json}',
  'examples/app/src/**/*.*',
  'examples/app/public/{*,.*}',
  'client/*.ts',
  'client/import/*.ts',
]

/** What a build was made of stands in it, under a name that is never served. */
const mark = '.made-of'

async function hashOf(root: string): Promise<string> {
  const hash = createHash('sha256')
  const paths: string[] = []
  for await (const path of glob(sources, { cwd: root })) paths.push(path)
  for (const path of paths.toSorted()) hash.update(`${path}\n`).update(await readFile(join(root, path)))
  return hash.digest('hex')
}

/**
 * The folder of the built app.
 * @param root the checkout
 * @param log gets a line when it is built, and when it cannot be
 * @returns undefined where the checkout has none, or it could not be built
 */
export async function referenceApp(root: string, log: (line: string) => void, signal: AbortSignal): Promise<string | undefined> {
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const directory = join(root, built)
  // beside the other, so that two starts do not write into one folder
  const draft = `${directory}.${process.pid}`
  try {
    await Promise.all([access(vite), access(join(root, 'examples/app/index.html'))])
  } catch {
    return undefined
  }
  try {
    const hash = await hashOf(root)
    const isThere = async () => await readFile(join(directory, mark), 'utf8').catch(() => '') === hash
    if (await isThere()) return directory
    log('app   is built, once')
    const command = [vite, 'build', join(root, 'examples/app'), '--outDir', draft, '--emptyOutDir', '--logLevel', 'error']
    await promisify(execFile)(process.execPath, command, { env: { ...process.env, NODE_ENV: 'production' }, signal })
    await writeFile(join(draft, mark), hash)
    await rm(directory, { recursive: true, force: true })
    // another start may have built the same meanwhile
    await rename(draft, directory).catch(async (error: unknown) => {
      if (!await isThere()) throw error
    })
    return directory
  } catch (error) {
    if (!signal.aborted) log(`app   could not be built, so that there is none: ${oneLine(error)}`)
    return undefined
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}
