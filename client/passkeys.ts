/**
 * Creates passkeys and signs in with them: runs the browser's WebAuthn dialogs between the routes
 * of the auth surface.
 */
import { FinanceError } from './errors.ts'
import type { Auth, Passkey, PasskeyCreation, PasskeyRequest } from './routes.ts'

type AuthClient = { auth: Auth }
type CredentialOptions = { publicKey: unknown }
type Credential = { toJSON: () => unknown }

/**
 * The part of WebAuthn that this file uses. Declared here, because programs without the browser's
 * types also import the client.
 */
const browser = globalThis as unknown as {
  PublicKeyCredential?: {
    parseCreationOptionsFromJSON?: (options: PasskeyCreation) => unknown
    parseRequestOptionsFromJSON?: (options: PasskeyRequest) => unknown
  }
  navigator?: {
    credentials?: {
      create: (options: CredentialOptions) => Promise<Credential>
      get: (options: CredentialOptions) => Promise<Credential>
    }
  }
}

/** Returns true if this browser supports passkeys on this page. */
export const supportsPasskeys = (): boolean =>
  browser.PublicKeyCredential?.parseCreationOptionsFromJSON !== undefined &&
  browser.navigator?.credentials !== undefined

const unsupported = (cause?: unknown) =>
  new FinanceError(0, {
    code: 'PASSKEYS_UNSUPPORTED',
    message: 'This browser does not support passkeys on this page.',
  }, { cause })

/**
 * Converts a browser's exception. Browsers report a cancelled dialog and a device without a passkey
 * as the same error.
 */
function passkeyError(error: unknown): FinanceError {
  const name = (error as Error).name
  if (name === 'NotAllowedError' || name === 'AbortError')
    return new FinanceError(0, { code: 'ABORTED', message: 'No passkey was chosen.' }, {
      cause: error,
    })
  if (name === 'InvalidStateError')
    return new FinanceError(409, {
      code: 'PASSKEY_EXISTS',
      message: 'This device already has a passkey for this account.',
    }, { cause: error })
  return unsupported(error)
}

const credentialJson = async <Response>(
  request: () => Promise<Credential> | undefined,
): Promise<Response> => {
  const credential = await request()?.catch((error: unknown) => {
    throw passkeyError(error)
  })
  return credential?.toJSON() as Response
}

/**
 * Adds a passkey to the account of the signed-in user.
 * @param input.name the user's name for it. Default `Passkey`
 * @param input.password optional within ten minutes of a sign-in
 * @throws FinanceError of the auth surface; `ABORTED` if the user cancels, `PASSKEY_EXISTS` if the
 * device has one, `PASSKEYS_UNSUPPORTED`
 */
export async function createPasskey(
  { auth: { passkey } }: AuthClient,
  { name, password }: { name?: string, password?: string } = {},
): Promise<Passkey> {
  if (!supportsPasskeys()) throw unsupported()
  const publicKey = browser.PublicKeyCredential?.parseCreationOptionsFromJSON?.(
    await passkey.generateRegisterOptions({ password }),
  )
  type Response = Parameters<typeof passkey.verifyRegistration>[0]['response']
  return passkey.verifyRegistration({
    response: await credentialJson<Response>(() =>
      browser.navigator?.credentials?.create({ publicKey })
    ),
    name,
  })
}

/**
 * Signs in with a passkey. The user chooses it in the browser's dialog and types no email address.
 * @returns the same response as `signIn`
 * @throws FinanceError as {@link createPasskey}
 */
export async function signInWithPasskey(
  { auth: { passkey } }: AuthClient,
): Promise<Awaited<ReturnType<Auth['signIn']>>> {
  if (!supportsPasskeys()) throw unsupported()
  const publicKey = browser.PublicKeyCredential?.parseRequestOptionsFromJSON?.(
    await passkey.generateAuthenticateOptions(),
  )
  type Response = Parameters<typeof passkey.verifyAuthentication>[0]['response']
  return passkey.verifyAuthentication({
    response: await credentialJson<Response>(() =>
      browser.navigator?.credentials?.get({ publicKey })
    ),
  })
}
