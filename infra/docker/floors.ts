/** A step of an image's build: node infra/docker/floors.ts warn|refuse <program> <its version>. Docker's build shows the line. */
import { belowFloors, type Program } from '../shared/floors.ts'

const [mode, program, version] = process.argv.slice(2)
for (const { line, isError } of belowFloors({ [program as Program]: version })) {
  console.error(line)
  if (isError && mode !== 'warn') process.exitCode = 1
}
