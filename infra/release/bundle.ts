/**
 * Makes the file with which a machine without the sources runs this version. Usage: node
 * infra/release/bundle.ts <folder> <registry> [<digests>]. The file contains compose.yaml, the
 * scripts and the files that they read. The images come from the registry. The file of digests has
 * a line `name:tag@sha256:…` for each image (infra/release/images); without it the images are named
 * by their tags only.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import about from '../../package.json' with { type: 'json' }

const root = join(import.meta.dirname, '../..')

/**
 * Returns compose.yaml for a deployment of published images: without builds, and each image with
 * its digest.
 */
export function releasedCompose(
  compose: string,
  registry: string,
  digests: string[],
  version: string,
): string {
  const digestOf = (image: string) => {
    const [, digest] = digests.find((line) => line.startsWith(`${image}@`))?.split('@') ?? []
    if (digests.length > 0 && digest === undefined)
      throw new Error(`The file of digests has no line for ${image}.`)
    return digest === undefined ? '' : `@${digest}`
  }
  return compose
    .replace(/^ +build: .*\n/gm, '')
    .replace(/\$\{VERSION:-latest\}/g, `\${VERSION:-${version}}`)
    .replace(
      /^ +image: \$\{AUTH_IMAGE:.*$/gm,
      (line) => line + digestOf(`${registry}/finance-backend:${version}`),
    )
    // With another PostgreSQL the image is another one.
    .replace(
      /^( +image: \$\{BACKUP_IMAGE:.*\$\{POSTGRES_TAG:-)(\d+)\}$/gm,
      (_, before: string, tag: string) =>
        `${before}${tag}${digestOf(`${registry}/finance-backup:${version}-pg${tag}`)}}`,
    )
    .replace(
      /^( +image: )([a-z/]+)(:\$\{\w+:-)([^@}]+)\}$/gm,
      (_, before: string, name: string, variable: string, tag: string) =>
        `${before}${name}${variable}${tag}${digestOf(`${name}:${tag}`)}}`,
    )
}

/**
 * Returns the file that names the images. The first infra/docker/setup copies its lines into .env.
 */
export const releaseEnv = (registry: string, version: string): string =>
  `# The images of this version, for infra/docker/setup and infra/docker/upgrade. Write nothing here: .env is yours.\nAUTH_IMAGE=${registry}/finance-backend\nBACKUP_IMAGE=${registry}/finance-backup\nVERSION=${version}\n`

/**
 * The paths of the file: what the scripts read, the pages that their messages name, and the
 * runbook.
 */
function pathsOf(): string[] {
  const listed = execFileSync('git', [
    'ls-files',
    'compose.yaml',
    'postgrest.conf',
    'LICENSE',
    'db/catalogue.sql',
    'db/rows.sql',
    'docs/runbook.md',
    'docs/settings.md',
    'infra/docker',
    'infra/monitoring',
  ], {
    cwd: root,
    encoding: 'utf8',
  }).trim().split('\n')
  // Images run the TypeScript files, and only a checkout builds images and checks the alerts.
  const paths = listed.filter((path) =>
    !/\.ts$|^infra\/docker\/(Dockerfile(\.dockerignore)?|docker-bake\.hcl)$|^infra\/monitoring\/check$/
      .test(path)
  )
  const pages = paths.flatMap((path) =>
    readFileSync(join(root, path), 'utf8').match(/\bdocs\/[\w-]+\.md/g) ?? []
  )
  return [...new Set([...paths, ...pages])]
}

if (import.meta.main) {
  const { version } = about
  const [folder, registry, digestsFile] = process.argv.slice(2)
  if (folder === undefined || registry === undefined) {
    process.stderr.write('Usage: node infra/release/bundle.ts <folder> <registry> [<digests>]\n')
    process.exit(1)
  }
  const digests = digestsFile === undefined
    ? []
    : readFileSync(digestsFile, 'utf8').trim().split('\n')
  const name = `finance-${version}`
  const work = mkdtempSync(join(tmpdir(), 'finance-bundle-'))
  try {
    for (const path of pathsOf()) {
      mkdirSync(join(work, name, dirname(path)), { recursive: true })
      cpSync(join(root, path), join(work, name, path))
    }
    writeFileSync(
      join(work, name, 'compose.yaml'),
      releasedCompose(readFileSync(join(root, 'compose.yaml'), 'utf8'), registry, digests, version),
    )
    writeFileSync(join(work, name, 'release.env'), releaseEnv(registry, version))
    mkdirSync(folder, { recursive: true })
    const mtime = execFileSync('git', ['log', '-1', '--format=%cI'], {
      cwd: root,
      encoding: 'utf8',
    }).trim()
    // Two runs on one commit make the same file.
    const equal = [
      '--sort=name',
      '--owner=0',
      '--group=0',
      '--numeric-owner',
      `--mtime=${mtime}`,
      '--mode=u+rwX,go+rX,go-w',
    ]
    execFileSync('tar', [
      ...equal,
      '--use-compress-program=gzip -n',
      '-cf',
      join(folder, `${name}.tar.gz`),
      '-C',
      work,
      name,
    ])
  } finally {
    rmSync(work, { recursive: true })
  }
}
