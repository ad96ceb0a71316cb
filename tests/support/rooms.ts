/**
 * The rooms of the repository, read from the tree and from the list of what an image is made of.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** The folders of the repository that have no dot in front. */
export const rooms: string[] = readdirSync(root, { withFileTypes: true })
  .filter((entry) =>
    entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name) &&
    readdirSync(join(root, entry.name)).length > 0
  )
  .map(({ name }) => name)

/**
 * The folders and files at the top that an image is made of. `infra` is a room of which only some
 * files are.
 */
export const imageSources: string[] = readFileSync(
  join(root, 'infra/docker/Dockerfile.dockerignore'),
  'utf8',
)
  .split('\n').filter((line) => line.startsWith('!') && !line.startsWith('!infra/')).map((line) =>
    line.slice(1)
  )
