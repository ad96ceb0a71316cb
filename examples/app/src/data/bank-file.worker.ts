/** Worker that reads a bank's file, so that the page stays responsive with 100,000 rows. */
import { readStatement, StatementError } from 'finance-client/import'
import type { Question, Read } from './bank-file.ts'

function read({ bytes, options }: Question): Read {
  try {
    return { statement: readStatement(bytes, options) }
  } catch (error) {
    if (error instanceof StatementError) return { refusal: { message: error.message, lines: [...error.lines] } }
    throw error
  }
}

addEventListener('message', ({ data }: MessageEvent<Question>) => postMessage(read(data)))
