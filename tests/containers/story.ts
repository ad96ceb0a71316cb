/** A deployment of compose.yaml with a user, and clients whose writes are counted. */
import { expect } from 'vitest'
import type { Person } from '../support/person.ts'
import { newDeployment, type Deployment, type Load } from './deployment.ts'

export type Story = {
  deployment: Deployment
  ann: Person
  token: string
  /** The session of the user, as a header. */
  cookie(): string
  /** Sends a request to the data surface, or another path, as the user. */
  data(
    path: string,
    init?: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> },
  ): Promise<{ status: number, body: any, headers: Headers }>
  /** Signs up, opens the mailed link, signs in, and replaces the user and its token. */
  signUp(email: string): Promise<void>
}

/**
 * Installs a deployment, which `deployment.up()` starts. The load of a test is one address with
 * more requests than a user would send, so nothing limits it.
 */
export async function newStory(): Promise<Story> {
  const deployment = await newDeployment({ images: false })
  await deployment.configure({ RATE_LIMIT_ENABLED: 'false' })
  const story: Story = {
    deployment,
    ann: deployment.person('Ann', 'ann@example.org'),
    token: '',
    cookie: () => [...story.ann.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    async data(path, init = {}) {
      const response = await fetch(`${deployment.url}${path}`, {
        ...init,
        headers: {
          authorization: `Bearer ${story.token}`,
          'content-type': 'application/json',
          ...init.headers,
        },
      })
      const text = await response.text()
      return {
        status: response.status,
        body: text === '' ? null : JSON.parse(text),
        headers: response.headers,
      }
    },
    async signUp(email) {
      story.ann = deployment.person('Ann', email)
      expect(await story.ann.signUp()).toMatchObject({
        status: 200,
        body: { user: { email, email_verified: false } },
      })
      expect(await story.ann.verify()).toMatchObject({ status: 200, body: { success: true } })
      expect(await story.ann.signIn()).toMatchObject({
        status: 200,
        body: { user: { email_verified: true } },
      })
      story.token = await story.ann.token()
    },
  }
  return story
}

/** Prints a figure beside the results. */
export const say = (line: string) => process.stdout.write(`  ${line}\n`)

/** Checks that every acknowledged write is stored. @returns the lost ones */
export async function lost(deployment: Deployment, { acknowledged }: Load): Promise<string[]> {
  const there = new Set(
    await deployment.sql(`select external_id from api.transactions where source = 'load'`),
  )
  return acknowledged.filter((id) => !there.has(id))
}

/**
 * Failures that are allowed, because Caddy and the edge wait for a stopped service. A request in
 * progress fails (502), and so does a request that reaches PostgREST before it has read the schema
 * (503, PGRST002).
 */
export const briefly = /^502|^503 PGRST002/

/** The log lines of a PostgreSQL that was not stopped properly. */
export const stoppedUncleanly = async (deployment: Deployment) =>
  (await deployment.logs('db')).filter((line) =>
    /was not properly shut down|was interrupted/.test(line)
  )

const failures = ({ failed }: Load) => Object.values(failed).reduce((sum, count) => sum + count, 0)
export const summaryOf = (counted: Load, missing: string[]) =>
  `${counted.requests} requests, ${failures(counted)} failed ${
    JSON.stringify(counted.failed)
  }, ${counted.acknowledged.length} writes acknowledged, ${missing.length} of them lost`
