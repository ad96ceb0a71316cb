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

/** The niceness of each thread of this process, by its number; only Linux says it. */
const niceness = () =>
  new Map(readdirSync('/proc/self/task').map((id) => [id, Number(readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ')[1]?.split(' ')[16])]))

test.each(['correct horse', '', 'ﬁancé with a ligature', 'a̐é'])('a hash of %j is the engine’s, and the engine’s is one of ours', async (password) => {
  await using ours = passwords(1)
  expect(await verifyPassword({ hash: await ours.hash(password), password })).toBe(true)
  expect(await ours.verify({ hash: await hashPassword(password), password })).toBe(true)
  expect(await ours.verify({ hash: await hashPassword(password), password: `${password}.` })).toBe(false)
})

test('a stored password of another form is an error and not a wrong password', async () => {
  await using ours = passwords(1)
  await expect(ours.verify({ hash: 'no colon', password: 'x' })).rejects.toThrow('form of a hash')
})

test.runIf(process.platform === 'linux')(
  'more who ask than there are threads are all served, by no more threads than that, and each gets an answer of their own',
  async () => {
    await using ours = passwords(2)
    const before = niceness()
    const hashes = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((password) => ours.hash(password)))
    expect(await Promise.all(hashes.map((hash, i) => ours.verify({ hash, password: 'abcde'[i] ?? '' })))).toEqual([true, true, true, true, true])
    expect(new Set(hashes).size).toBe(5)
    // each thread begins with everybody's priority
    expect([...niceness()].filter(([id, nice]) => nice === 10 && before.get(id) !== 10)).toHaveLength(2)
  },
)

test('a thread that dies loses nobody: what it worked at is done by the next one', async () => {
  const lost: Error[] = []
  const begun = once(process, 'worker') as Promise<[Worker]>
  await using ours = passwords(1, (error) => lost.push(error))
  const [hash, behind] = [ours.hash('correct horse'), ours.hash('behind')]
  await (await begun)[0].terminate()
  expect(await verifyPassword({ hash: await hash, password: 'correct horse' })).toBe(true)
  expect(await verifyPassword({ hash: await behind, password: 'behind' })).toBe(true)
  expect(lost).toHaveLength(1)
})

test('who is not served when it stops is told so, and so is who comes later', async () => {
  const ours = passwords(1)
  const asked = ['a', 'b', 'c'].map((password) => ours.hash(password))
  const told = Promise.allSettled(asked)
  await ours.stop()
  expect((await told).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  await expect(ours.hash('late')).rejects.toThrow('not hashed any more')
})
