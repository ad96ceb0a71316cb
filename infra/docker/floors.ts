/** Compares a version with its floor, as images are built and at the end of an upgrade: node infra/docker/floors.ts warn|refuse <program> <its version> */
import { belowFloors, type Program } from '../../common/floors.ts'

const [mode, program, version] = process.argv.slice(2)
for (const { line, isError } of belowFloors({ [program as Program]: version })) {
  console.error(line)
  if (isError && mode !== 'warn') process.exitCode = 1
}
