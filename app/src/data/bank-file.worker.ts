/** Worker that reads a bank's file, so that the page stays responsive with 100,000 rows. */
import {
  isAppExport,
  readAppExport,
  readStatement,
  StatementError,
  unpack,
} from 'finance-client/import'
import type { Question, Read } from './bank-file.ts'

async function read({ bytes, options }: Question): Promise<Read> {
  try {
    const files = await unpack(bytes)
    const statement = readStatement(files, options)
    return {
      statement,
      ...isAppExport(statement) ? { exported: readAppExport(files, options) } : {},
    }
  } catch (error) {
    if (error instanceof StatementError)
      return { refusal: { message: error.message, lines: [...error.lines] } }
    throw error
  }
}

addEventListener('message', ({ data }: MessageEvent<Question>) => {
  // a failure ends the worker with an error event
  void read(data).then((result) => postMessage(result), reportError)
})
