/** What a user has paid for, as the sign-in and get-session replies show it and organization creation asks it. */
import { sql } from 'kysely'
import type { FunctionRows } from '../db/types.ts'
import type { AuthDatabase } from './database.ts'

/** Source: interface "Subscription status object". */
export type SubscriptionStatus = { isSubscribed: boolean, productId: string | null }

export type Plans = {
  status: (userId: string) => Promise<SubscriptionStatus>
  /** Whether the plan is of the Teams tier or higher. */
  mayCreateOrganizations: (userId: string) => Promise<boolean>
}

/** The function that says what somebody has, for a statement of SQL; both are expressions. */
export const activeProduct = (userId: string, defaultProduct: string): string => `private.active_product(${userId}, ${defaultProduct})`

/** @param productId of the product that is active, if any */
export const statusOf = (productId: string | undefined): SubscriptionStatus => ({ isSubscribed: productId !== undefined, productId: productId ?? null })

/** @param defaultProduct a product everybody has (DEFAULT_PRODUCT), if any */
export function plans(db: AuthDatabase, defaultProduct: string | undefined): Plans {
  const active = async (userId: string) => {
    const { rows } = await sql<FunctionRows['private.active_product']>`select * from private.active_product(${userId}, ${defaultProduct ?? null})`.execute(db)
    return rows[0]
  }
  return {
    status: async (userId) => statusOf((await active(userId))?.productId),
    mayCreateOrganizations: async (userId) => (await active(userId))?.mayCreateOrganizations ?? false,
  }
}
