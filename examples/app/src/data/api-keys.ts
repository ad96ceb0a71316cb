/** Keys with which a person's programs read, and change what they may. */
import { queryOptions } from '@tanstack/react-query'
import type { ApiKey } from 'finance-client'
import { finance } from './client.ts'
import type { GivenRole } from './teams.ts'

const { apiKey } = finance.auth

/** Those of all contexts. @param userId whose answer it is */
export const apiKeysQuery = (userId: string) => queryOptions({ queryKey: ['me', userId, 'api-keys'], queryFn: () => apiKey.list() })

/** The answer alone has the key. */
export const createApiKey = (input: { name: string, expiresInDays: number, organizationId: string | null, role: GivenRole, password?: string }) =>
  apiKey.create(input)

export const revokeApiKey = ({ id }: ApiKey) => apiKey.revoke({ keyId: id })
