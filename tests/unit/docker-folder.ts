/** The folder of a deployment with a fake Docker, for tests of the commands of infra/docker. */
import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

export const deploymentIn = (directory: string) => join(directory, 'deployment')
/** The folder of another deployment with the same name. */
export const otherDeploymentIn = (directory: string) => join(directory, 'other folder')

/** Creates the folders of both deployments. @returns the folder that has them */
export async function prepareFolder(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'finance-setup-'))
  for (const path of ['compose.yaml', 'postgrest.conf', 'infra/docker', 'common'])
    await cp(join(root, path), join(deploymentIn(directory), path), { recursive: true })
  await mkdir(otherDeploymentIn(directory))
  await mkdir(join(directory, 'bin'))
  return directory
}

export type Ended = { code: number, output: string, complaint: string }
/** Runs a command of infra/docker in the deployment's folder. */
export const run = (
  directory: string,
  name: string,
  args: string[],
  env: Record<string, string> = {},
  uid?: number,
): Promise<Ended> =>
  new Promise((resolve) => {
    const options = {
      env: { PATH: `${join(directory, 'bin')}:${process.env['PATH']}`, ...env },
      ...(uid === undefined ? {} : { uid, gid: uid }),
    }
    execFile(
      join(deploymentIn(directory), 'infra/docker', name),
      args,
      options,
      (error, output, complaint) =>
        resolve({ code: error === null ? 0 : Number(error.code), output, complaint }),
    )
  })

/** A fake Docker with one project: the folders of its containers, and its volumes. */
export async function fakeDocker(
  directory: string,
  project: string,
  folders: string[],
  volumes: string[],
): Promise<void> {
  const lines = (words: string[]) => words.map((word) => `echo '${word}'`).join('\n') || ':'
  await writeFile(
    join(directory, 'bin/docker'),
    `#!/bin/sh\ncase "$*" in\n*"project=${project}"*) case "$1" in ps) ${
      lines(folders)
    } ;; volume) ${lines(volumes)} ;; esac ;;\n"compose version "*) echo 2.26.1 ;;\nesac\n`,
  )
  await chmod(join(directory, 'bin/docker'), 0o755)
}
/** A fake Docker that answers commands matching a shell pattern. */
export async function fakeDockerScript(
  directory: string,
  answers: Record<string, string>,
): Promise<void> {
  const cases = Object.entries(answers).map(([pattern, answer]) => `${pattern}) ${answer} ;;`).join(
    '\n',
  )
  await writeFile(join(directory, 'bin/docker'), `#!/bin/sh\ncase "$*" in\n${cases}\nesac\n`)
  await chmod(join(directory, 'bin/docker'), 0o755)
}
/** The files that a setup writes. */
export const writtenIn = async (directory: string) =>
  (await readdir(deploymentIn(directory))).filter((name) =>
    name.startsWith('.') || name === 'backups'
  )
