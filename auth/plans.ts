/** The active plans of users: a plan is an active subscription of a product. */
import type { FunctionRows } from '../db/types.ts'
import type { PreparedQuery } from '../http/database.ts'

type SubscriptionStatus = { isSubscribed: boolean, productId: string | null }

export type Plans = {
  status: (userId: string) => Promise<SubscriptionStatus>
  /** Whether the plan is of the Teams tier or higher. */
  mayCreateOrganizations: (userId: string) => Promise<boolean>
}

const activeProduct = {
  name: 'plan',
  text:
    'select product_id as "productId", may_create_organizations as "mayCreateOrganizations" from private.active_product($1, $2)',
}

/** @param defaultProduct the product of every user without a plan (DEFAULT_PRODUCT) */
export function plans(prepared: PreparedQuery, defaultProduct: string | undefined): Plans {
  const active = (userId: string) =>
    prepared<FunctionRows['private.active_product']>(activeProduct, [
      userId,
      defaultProduct ?? null,
    ])
  return {
    status: async (userId) => {
      const productId = (await active(userId))?.productId
      return { isSubscribed: productId !== undefined, productId: productId ?? null }
    },
    mayCreateOrganizations: async (userId) =>
      (await active(userId))?.mayCreateOrganizations ?? false,
  }
}
