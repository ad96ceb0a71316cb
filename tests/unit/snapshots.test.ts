/**
 * The choice of the latest off-site copy: one with users, of the own deployment, with a report of
 * skipped copies.
 */
import { expect, test } from 'vitest'
import { choose, copiesOf, type Snapshot } from '../../infra/docker/backups/snapshots.ts'

const dump = (
  day: number,
  people: number | undefined,
  hostname = 'money.example.org',
): Snapshot => ({
  id: `${hostname} ${day}`,
  time: `2026-01-0${day}T03:15:00Z`,
  hostname,
  tags: [
    'dump',
    `finance-2026010${day}T031500Z`,
    ...(people === undefined ? [] : [`people=${people}`, `rows=${people * 10}`, 'bytes=2048']),
  ],
})
const latest = (...snapshots: Snapshot[]) => {
  const { chosen, skipped } = choose(copiesOf(snapshots), 'dump', 'latest', 'money.example.org')
  return [chosen, ...skipped].map(({ name }) => Number(name.slice(14, 16)))
}

test('the latest off-site copy is the newest, whatever the order of the list', () => {
  expect(latest(dump(2, 5), dump(3, 4), dump(1, 6))).toEqual([3])
})

test('the latest off-site copy is not the copy of a new, empty database', () => {
  expect(latest(dump(1, 6), dump(2, 5), dump(3, 0), dump(4, 0))).toEqual([2, 3, 4])
})

test('the latest off-site copy is an empty one if no copy has users', () => {
  expect(latest(dump(1, 0), dump(2, 0))).toEqual([2])
})

test('the latest off-site copy may be one from before copies recorded their users', () => {
  expect(latest(dump(1, 6), dump(2, undefined), dump(3, 0))).toEqual([2, 3])
})

test('the latest off-site copy is never one of another deployment', () => {
  expect(latest(dump(1, 6), dump(2, 90, 'other.example.org'))).toEqual([1])
  expect(() => latest(dump(2, 90, 'other.example.org'))).toThrow(
    'No off-site copy of money.example.org, only of other.example.org. OFFSITE_NAME in offsite.env selects the deployment.',
  )
  expect(() => latest()).toThrow('No off-site copy of money.example.org.')
})

test('a named copy is used even if empty, and a missing one is refused', () => {
  const copies = copiesOf([dump(1, 6), dump(2, 0)])
  expect(choose(copies, 'dump', 'finance-20260102T031500Z', 'money.example.org')).toMatchObject({
    chosen: { people: 0, rows: 0 },
    skipped: [],
  })
  expect(() => choose(copies, 'dump', 'finance-20260103T031500Z', 'money.example.org')).toThrow(
    'No off-site copy finance-20260103T031500Z of money.example.org',
  )
})

test('a log is not used as a backup, and an older one without a name gets its time', () => {
  const log: Snapshot = {
    id: 'log',
    time: '2026-01-09T04:00:00.5Z',
    hostname: 'money.example.org',
    tags: ['pitr'],
  }
  const copies = copiesOf([log, dump(1, 6)])
  expect(choose(copies, 'dump', 'latest', 'money.example.org').chosen.id).toBe(
    'money.example.org 1',
  )
  expect(choose(copies, 'pitr', 'latest', 'money.example.org').chosen).toEqual({
    id: 'log',
    kind: 'pitr',
    name: 'pitr-20260109T040000Z',
    deployment: 'money.example.org',
  })
})
