/**
 * The commands of the README's sections "The main job" and "The first team", and checks of their
 * output.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'

const readme = await readFile(join(import.meta.dirname, '../../README.md'), 'utf8')

/** Returns the shell blocks of the section with this title. */
export function commandsOf(title: string): string[] {
  const section = readme.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? ''
  return [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, commands = '']) => commands)
}

const [withNpm = '', withDocker = '', anywhere = ''] = commandsOf('The main job')

/** The main job for `npm start`, for compose, and the part that both share. */
export const mainJob = {
  withNpm: `${withNpm}${anywhere}`,
  withDocker: `${withDocker}${anywhere}`,
  anywhere,
}

/** The commands of the first team: Ann creates an organization and stores a transaction in it. */
export const [firstTeam = ''] = commandsOf('The first team')

export function expectFirstTeam(output: string): void {
  const [granted, ...answers] = output.trim().split('\n')
  expect(granted).toMatch(/^ann@example\.com has teams until /)
  const [active, created] = answers.map((line) => JSON.parse(line))
  expect(active).toEqual({
    session: { id: expect.any(String), active_organization_id: expect.any(String) },
  })
  expect(created).toMatchObject([{
    name: 'Rent',
    amount: -900,
    organization_id: active.session.active_organization_id,
  }])
}

/**
 * Expects that Ann stores a transaction and reads it back, and that an anonymous request gets no
 * rows.
 */
export function expectMainJob(output: string): void {
  const [signedUp, verified, signedIn, created, listed, anonymous] = output.trim().split('\n')
    .map((line) => JSON.parse(line))
  expect(signedUp.user).toMatchObject({ email: 'ann@example.com', email_verified: false })
  expect(verified).toMatchObject({ success: true })
  expect(signedIn).toMatchObject({
    user: { email_verified: true },
    subscription: { isSubscribed: false },
  })
  expect(created).toMatchObject([{
    name: 'Groceries',
    amount: -42.5,
    user_id: signedIn.user.id,
    organization_id: null,
    currency: 'usd',
    source: 'manual',
  }])
  expect(listed).toEqual([{ name: 'Groceries', amount: -42.5, status: 'paid' }])
  expect(anonymous).toEqual([])
}
