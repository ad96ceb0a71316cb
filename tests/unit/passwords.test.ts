import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import type { Worker } from 'node:worker_threads'
import { hashPassword, verifyPassword } from 'better-auth/crypto'
import { expect, test } from 'vitest'
import { createPasswords } from '../../auth/engine/passwords.ts'

const passwords = (size: number, onLoss: (error: Error) => void = () => undefined) => {
  const made = createPasswords(size, onLoss)
  return { ...made, [Symbol.asyncDispose]: made.stop }
}

/** Returns the niceness of each thread of this process by thread id. Only Linux reports it. */
const niceness = () =>
  new Map(
    readdirSync('/proc/self/task').map((id) => [
      id,
      Number(readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ')[1]?.split(' ')[16]),
    ]),
  )

test.each(['correct horse', '', 'ﬁancé with a ligature', 'a̐é'])(
  'a hash of %j verifies with better-auth, and a hash of better-auth verifies here',
  async (password) => {
    await using pool = passwords(1)
    expect(await verifyPassword({ hash: await pool.hash(password), password })).toBe(true)
    expect(await pool.verify({ hash: await hashPassword(password), password })).toBe(true)
    expect(await pool.verify({ hash: await hashPassword(password), password: `${password}.` }))
      .toBe(false)
  },
)

test('a stored password in another format is an error instead of a wrong password', async () => {
  await using pool = passwords(1)
  await expect(pool.verify({ hash: 'no colon', password: 'x' })).rejects.toThrow('invalid format')
})

test.runIf(process.platform === 'linux')(
  'more requests than threads are all served by the fixed number of threads, each with its own result',
  async () => {
    await using pool = passwords(2)
    const before = niceness()
    const hashes = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((password) => pool.hash(password)),
    )
    expect(
      await Promise.all(hashes.map((hash, i) => pool.verify({ hash, password: 'abcde'[i] ?? '' }))),
    ).toEqual([true, true, true, true, true])
    expect(new Set(hashes).size).toBe(5)
    // A new thread starts with the default priority.
    expect([...niceness()].filter(([id, nice]) => nice === 10 && before.get(id) !== 10))
      .toHaveLength(2)
  },
)

test('a task of a thread that dies is done by the next thread', async () => {
  const lost: Error[] = []
  const begun = once(process, 'worker') as Promise<[Worker]>
  await using pool = passwords(1, (error) => lost.push(error))
  const [hash, behind] = [pool.hash('correct horse'), pool.hash('behind')]
  await (await begun)[0].terminate()
  expect(await verifyPassword({ hash: await hash, password: 'correct horse' })).toBe(true)
  expect(await verifyPassword({ hash: await behind, password: 'behind' })).toBe(true)
  expect(lost).toHaveLength(1)
})

test('tasks that wait at a stop, and later ones, are rejected', async () => {
  const pool = passwords(1)
  const hashes = ['a', 'b', 'c'].map((password) => pool.hash(password))
  const results = Promise.allSettled(hashes)
  await pool.stop()
  expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  await expect(pool.hash('late')).rejects.toThrow('hashes no more passwords')
})
