/** Splits a CSV file into records. */
import Papa from 'papaparse'

/** A record with the line where it begins. Quoted cells can span several lines. */
export type Line = { line: number, cells: string[] }

export function parse(
  text: string,
  delimiter: string,
  preview = 0,
): { lines: Line[], unclosed?: number } {
  const { data, errors } = Papa.parse<string[]>(text, {
    delimiter,
    newline: '\n',
    preview,
    skipEmptyLines: false,
  })
  let line = 1
  const lines = data.map((cells) => {
    // spreadsheets write a text as a formula: ="0042"
    const record = { line, cells: cells.map((cell) => /^="([^"]*)"$/.exec(cell)?.[1] ?? cell) }
    line += 1 + cells.reduce((sum, cell) => sum + cell.split('\n').length - 1, 0)
    return record
  })
  const unclosed = errors.find(({ code }) => code === 'MissingQuotes')?.row
  return unclosed === undefined ? { lines } : { lines, unclosed: lines[unclosed]?.line ?? 1 }
}

export const isEmpty = (cells: string[]): boolean => cells.every((cell) => cell.trim() === '')
