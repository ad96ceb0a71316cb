/**
 * The version of the product. Its home is package.json; the files of `copies` repeat it, because
 * other programs read them.
 *
 * node infra/release/version.ts fails if a copy differs node infra/release/version.ts 0.3.0 changes
 * all of them, and gives the unreleased part of the changelog this version and today's date
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import about from '../../package.json' with { type: 'json' }

const root = join(import.meta.dirname, '../..')
const packages =
  /(?<="name": "finance-[a-z-]+",\n\s+"version": ")[^"]+|(?<="finance-client": ")[^"]+/g

/** The files that contain the version, with a pattern that matches only it. */
export const copies: Record<string, RegExp> = {
  'package.json': packages,
  'package-lock.json': packages,
  'bank-files/package.json': packages,
  'client/package.json': packages,
  'client/mcp/package.json': packages,
  'app/package.json': packages,
  'client/mcp/main.ts': /(?<=name: 'finance-mcp', version: ')[^']+/g,
  'infra/kubernetes/finance/Chart.yaml': /(?<=^(?:v|appV)ersion: )\S+/gm,
  'infra/kubernetes/database/Chart.yaml': /(?<=^(?:v|appV)ersion: )\S+/gm,
  'infra/kubernetes/example.yaml': /(?<=finance-backend, tag: )[\w.-]+/g,
  'infra/docker/Dockerfile': /(?<=image\.version=)\S+/g,
  'infra/aws/example/main.tf': /(?<=\/finance-backend:)[\w.-]+/g,
  'docs/aws.md': /(?<=\/finance-backend:)[\w.-]+/g,
  'client/README.md': /(?<=finance-client-)\d[\w.-]*(?=\.tgz)/g,
  'client/mcp/README.md': /(?<=finance-mcp-)\d[\w.-]*(?=\.tgz)/g,
}

/** Returns a line for each file that contains another version than package.json, or none. */
export const differing = (read: (path: string) => string): string[] =>
  Object.entries(copies).flatMap(([path, pattern]) => {
    const found = new Set(read(path).match(pattern))
    return found.size === 1 && found.has(about.version)
      ? []
      : [`${path}: ${[...found].join(', ') || 'none'}`]
  })

/** Returns the changelog with its unreleased part as a version, and an empty unreleased part. */
const dated = (changelog: string, version: string, day: string): string =>
  changelog.replace('\n## Unreleased\n', `\n## Unreleased\n\n## ${version} – ${day}\n`)

const read = (path: string) => readFileSync(join(root, path), 'utf8')
if (import.meta.main) {
  const [version] = process.argv.slice(2)
  if (version === undefined) {
    const found = differing(read)
    if (found.length > 0) {
      process.stderr.write(
        `The version is ${about.version} in package.json. Other files differ:\n${
          found.join('\n')
        }\n`,
      )
      process.exitCode = 1
    }
  } else if (/^\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/.test(version)) {
    for (const [path, pattern] of Object.entries(copies))
      writeFileSync(join(root, path), read(path).replace(pattern, version))
    writeFileSync(
      join(root, 'CHANGELOG.md'),
      dated(read('CHANGELOG.md'), version, new Date().toISOString().slice(0, 10)),
    )
  } else {
    process.stderr.write(
      `A version is three numbers, such as 0.3.0 or 1.0.0-rc.1, not ${version}.\n`,
    )
    process.exitCode = 1
  }
}
