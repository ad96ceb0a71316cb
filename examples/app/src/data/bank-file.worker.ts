/** Reads a bank's file beside the page, which stays responsive with a hundred thousand rows. */
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
