import { expect, test } from 'vitest'
import { describeError } from '../../auth/log.ts'

const thrownBy = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    return error
  }
}

test.each([
  ['a parser’s', thrownBy(() => JSON.parse('{"password":"hunter2"'))],
  ['a database’s', Object.assign(new Error('invalid input syntax for type uuid: "hunter2"'), { severity: 'ERROR', code: '22P02', detail: 'hunter2' })],
  ['what is no error', 'hunter2'],
])('the description of %s error does not quote the value it refused', (_, error) => {
  expect(JSON.stringify(describeError(error))).not.toContain('hunter2')
})
