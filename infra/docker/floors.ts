/**
 * Compares a version with its floor, in the build of an image and after an upgrade: node
 * infra/docker/floors.ts warn|refuse <program> <version>
 */
import { belowFloors, type Program } from '../../common/floors.ts'

const [mode, program, version] = process.argv.slice(2)
for (const { line, isError } of belowFloors({ [program as Program]: version })) {
  console.error(line)
  if (isError && mode !== 'warn') process.exitCode = 1
}
