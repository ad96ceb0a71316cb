/** The README's main job: what a reader pastes, and what the last six lines of it answer. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'

export const readme = await readFile(join(import.meta.dirname, '../../README.md'), 'utf8')

/** The commands a reader pastes, of the section with this title, block by block. */
export function commandsOf(title: string): string[] {
  const section = readme.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? ''
  return [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, commands = '']) => commands)
}

const [withNpm = '', withDocker = '', anywhere = ''] = commandsOf('The main job')

/** The job as it is pasted where `npm start` runs, and where compose does; and its part that is the same everywhere. */
export const mainJob = { withNpm: `${withNpm}${anywhere}`, withDocker: `${withDocker}${anywhere}`, anywhere }

/** Ann stores a transaction and reads it back, and anonymous sees nothing. */
export function expectMainJob(output: string): void {
  const [signedUp, verified, signedIn, created, listed, anonymous] = output.trim().split('\n').map((line) => JSON.parse(line))
  expect(signedUp.user).toMatchObject({ email: 'ann@example.com', email_verified: false })
  expect(verified).toMatchObject({ success: true })
  expect(signedIn).toMatchObject({ user: { email_verified: true }, subscription: { isSubscribed: false } })
  expect(created).toMatchObject([{ name: 'Groceries', amount: -42.5, user_id: signedIn.user.id, organization_id: null, currency: 'usd', source: 'manual' }])
  expect(listed).toEqual([{ name: 'Groceries', amount: -42.5, status: 'paid' }])
  expect(anonymous).toEqual([])
}
