/** The passkeys of who is signed in, and what a sign-in asks for. */
import { queryOptions } from '@tanstack/react-query'
import { createPasskey, signInWithPasskey, supportsPasskeys } from 'finance-client'
import { finance } from './client.ts'

/** Whether this browser has any use for them. */
export const hasPasskeys = supportsPasskeys()

export const passkeysQuery = (userId: string) => queryOptions({ queryKey: ['me', userId, 'passkeys'], queryFn: () => finance.auth.passkey.list() })

/** Of somebody without a password, whose sign-in has to be of the last minutes. */
type Confirmed = { password?: string | undefined }

export const enterWithPasskey = () => signInWithPasskey(finance)
export const addPasskey = ({ name, password }: Confirmed & { name: string }) => createPasskey(finance, { name, ...(password !== undefined && { password }) })
export const renamePasskey = (input: { passkeyId: string, name: string }) => finance.auth.passkey.update(input)
export const deletePasskey = (input: Confirmed & { passkeyId: string }) => finance.auth.passkey.delete(input)
export const requirePasskey = (input: Confirmed & { required: boolean }) => finance.auth.passkey.require(input)
/** A mail to choose one gives a password again. */
export const removePassword = (input: Confirmed) => finance.auth.removePassword(input)
