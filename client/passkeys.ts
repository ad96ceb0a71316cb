/** Passkeys: what a browser is asked between two routes of the auth surface. */
import { FinanceError } from './errors.ts'
import type { Auth, Passkey, PasskeyCreation, PasskeyRequest } from './routes.ts'

type Who = { auth: Auth }
type Asked = { publicKey: unknown }
type Given = { toJSON: () => unknown }

/** As much of a browser as is used. Programs that have no types of it, and no passkeys, import the client too. */
const browser = globalThis as unknown as {
  PublicKeyCredential?: {
    parseCreationOptionsFromJSON?: (options: PasskeyCreation) => unknown
    parseRequestOptionsFromJSON?: (options: PasskeyRequest) => unknown
  }
  navigator?: { credentials?: { create: (asked: Asked) => Promise<Given>, get: (asked: Asked) => Promise<Given> } }
}

/** Whether this browser can make and use passkeys, in this page. */
export const supportsPasskeys = (): boolean =>
  browser.PublicKeyCredential?.parseCreationOptionsFromJSON !== undefined && browser.navigator?.credentials !== undefined

const unsupported = (cause?: unknown) =>
  new FinanceError(0, { code: 'PASSKEYS_UNSUPPORTED', message: 'This browser has no passkeys for this page.' }, { cause })

/** What a browser refuses with, in the client's words. It does not tell a person who gave up from a device that has no passkey. */
function refusalOf(error: unknown): FinanceError {
  const name = (error as Error).name
  if (name === 'NotAllowedError' || name === 'AbortError') return new FinanceError(0, { code: 'ABORTED', message: 'No passkey was given.' }, { cause: error })
  if (name === 'InvalidStateError')
    return new FinanceError(409, { code: 'PASSKEY_EXISTS', message: 'This device already has a passkey of the account.' }, { cause: error })
  return unsupported(error)
}

const given = async <Response>(ask: () => Promise<Given> | undefined): Promise<Response> => {
  const credential = await ask()?.catch((error: unknown) => {
    throw refusalOf(error)
  })
  return credential?.toJSON() as Response
}

/**
 * Adds a passkey to the account of who is signed in.
 * @param input.name what its person calls it; `Passkey` unless told
 * @param input.password may be left out within ten minutes of a sign-in
 * @throws FinanceError of the auth surface; `ABORTED` where the person gave up, `PASSKEY_EXISTS` where the device has one, `PASSKEYS_UNSUPPORTED`
 */
export async function createPasskey({ auth: { passkey } }: Who, { name, password }: { name?: string, password?: string } = {}): Promise<Passkey> {
  if (!supportsPasskeys()) throw unsupported()
  const publicKey = browser.PublicKeyCredential?.parseCreationOptionsFromJSON?.(await passkey.generateRegisterOptions({ password }))
  type Response = Parameters<typeof passkey.verifyRegistration>[0]['response']
  return passkey.verifyRegistration({ response: await given<Response>(() => browser.navigator?.credentials?.create({ publicKey })), name })
}

/**
 * Signs in with a passkey that the person chooses; no name is asked for.
 * @returns what `signIn` does
 * @throws FinanceError as {@link createPasskey}
 */
export async function signInWithPasskey({ auth: { passkey } }: Who): Promise<Awaited<ReturnType<Auth['signIn']>>> {
  if (!supportsPasskeys()) throw unsupported()
  const publicKey = browser.PublicKeyCredential?.parseRequestOptionsFromJSON?.(await passkey.generateAuthenticateOptions())
  type Response = Parameters<typeof passkey.verifyAuthentication>[0]['response']
  return passkey.verifyAuthentication({ response: await given<Response>(() => browser.navigator?.credentials?.get({ publicKey })) })
}
