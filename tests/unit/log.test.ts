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
  [
    'a database’s error',
    Object.assign(new Error('invalid input syntax for type uuid: "hunter2"'), {
      severity: 'ERROR',
      code: '22P02',
      detail: 'hunter2',
    }),
  ],
  ['a value that is no error', 'hunter2'],
])('the description of %s does not contain the refused value', (_, error) => {
  expect(JSON.stringify(describeError(error))).not.toContain('hunter2')
})

test('a database error is described by its constraint, otherwise by its code', () => {
  const error = (constraint?: string) =>
    Object.assign(new Error('refused'), { severity: 'ERROR', code: '28P01', constraint })
  expect(describeError(error('tags_name_length'))).toMatchObject({
    message: 'database error in tags_name_length',
    code: '28P01',
  })
  expect(describeError(error())).toMatchObject({
    message: 'database error in a statement',
    code: '28P01',
  })
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
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    origin: hostile,
    nested: { path: hostile },
    msg: hostile,
  })
})

/** A text of 43 letters, as 32 random bytes make it. */
const random = 'Yv3kQ-7hTzP0aWmXc_9LrJd2sBfUe5nGi8oKqVt4yZA'

test.each<[string, unknown]>([
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
  ['/api/auth/calendar%2Fcal_s3cret.ics', '/api/auth/calendar/{secret}'],
  ['/api/auth/calendar%252Fcal%255Fs3cret.ics', '/api/auth/calendar/{secret}'],
  ['/api/auth/calendar/%0Acal_s3cret.ics', '/api/auth/calendar/{secret}'],
  ['/%61pi/auth/%63alendar/s3cret', '/api/auth/calendar/{secret}'],
  ['/api/auth/files%2Ffile_s3cret-A_', '/api/auth/files/{ticket}'],
  [`/data/x_file_${random}`, '/data/{secret}'],
  [`/api/auth/x_cal_${random}`, '/api/auth/{secret}'],
  [`/data/fin_${random}`, '/data/{secret}'],
  [`/x.fin_${random.slice(0, 9)}/more`, '/x.{secret}'],
  [`/whsec_${random}`, '/{secret}'],
  ['/data/eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl', '/data/{secret}'],
  [`/reset-password/${random.slice(0, 24)}`, '/reset-password/{secret}'],
  [`/api/auth/verify-email%3Ftoken=${random}`, '/api/auth/verify-email?token={secret}'],
  [
    `/${random.split('').map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')}`,
    '/{secret}',
  ],
  [`/${'%25'.repeat(9)}2525252525252541`, expect.not.stringMatching(/%/)],
  ['/caf%C3%A9', '/caf%C3%A9'],
  ['/100%', '/100%'],
  [
    '/data/rpc/get_transaction_aggregate_statement',
    '/data/rpc/get_transaction_aggregate_statement',
  ],
  ['/assets/4f1c2d3e-5a6b-4c7d-8e9f-0a1b2c3d4e5f', '/assets/4f1c2d3e-5a6b-4c7d-8e9f-0a1b2c3d4e5f'],
  [`/${'x'.repeat(300)}`, `/${'x'.repeat(199)}`],
])('the path %s is logged as %s', (path, logged) => {
  expect(loggablePath(path)).toEqual(logged)
})
