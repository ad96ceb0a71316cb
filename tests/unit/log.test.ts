import { expect, test } from 'vitest'
import { createLog, describeError, loggablePath } from '../../common/log.ts'

const thrownBy = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    return error
  }
}

test.each([
  ['a parser’s error', thrownBy(() => JSON.parse('{"password":"hunter2"'))],
  ['a database’s error', Object.assign(new Error('invalid input syntax for type uuid: "hunter2"'), { severity: 'ERROR', code: '22P02', detail: 'hunter2' })],
  ['a value that is no error', 'hunter2'],
])('the description of %s does not contain the refused value', (_, error) => {
  expect(JSON.stringify(describeError(error))).not.toContain('hunter2')
})

test('a database error is described by its constraint, otherwise by its code', () => {
  const error = (constraint?: string) => Object.assign(new Error('refused'), { severity: 'ERROR', code: '28P01', constraint })
  expect(describeError(error('tags_name_length'))).toMatchObject({ message: 'database error in tags_name_length', code: '28P01' })
  expect(describeError(error())).toMatchObject({ message: 'database error in a statement', code: '28P01' })
})

test('no log line contains a terminal control character, and its JSON has the original text', () => {
  const lines: string[] = []
  const hostile = 'https://a.example\u009b2J\u0085\u2028\u202e\u007f'
  createLog('info', {
    write: (line: string) => {
      lines.push(line)
    },
  }).info({ origin: hostile, nested: { path: hostile } }, hostile)
  expect(lines.join('')).toMatch(/^[\x20-\x7e]+\n$/)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ origin: hostile, nested: { path: hostile }, msg: hostile })
})

test.each([
  ['/api/auth/calendar/cal_s3cret.ics', '/api/auth/calendar/{secret}'],
  ['/api/auth/calendar/cal_s3cret', '/api/auth/calendar/{secret}'],
  ['/api/auth/calendar/cal%5Fs3cret.ics', '/api/auth/calendar/{secret}'],
  ['/API/AUTH/CALENDAR/s3cret', '/API/AUTH/CALENDAR/{secret}'],
  ['/api/auth/cal_s3cret.ics', '/api/auth/{secret}'],
  ['/api/auth/calendar/list', '/api/auth/calendar/list'],
  ['/api/auth/calendar/create', '/api/auth/calendar/create'],
  ['/api/auth/files/file_s3cret-A_', '/api/auth/files/{ticket}'],
  ['/api/auth/files/s3cret', '/api/auth/files/{ticket}'],
  ['/API/AUTH/Files/file%5Fs3cret', '/API/AUTH/Files/{ticket}'],
  ['/api/auth/file_s3cret-of-a-file', '/api/auth/{ticket}'],
  ['/data/transactions', '/data/transactions'],
  [`/${'x'.repeat(300)}`, `/${'x'.repeat(199)}`],
])('the path %s is logged as %s', (path, logged) => {
  expect(loggablePath(path)).toBe(logged)
})
