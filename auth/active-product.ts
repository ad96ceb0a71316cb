/** What a user has paid for, as the sign-in and get-session replies show it and organization creation asks it. */
import type pg from 'pg'

/** Source: interface "Subscription status object". */
export type SubscriptionStatus = { isSubscribed: boolean, productId: string | null }

export type Plans = {
  status: (userId: string) => Promise<SubscriptionStatus>
  /** Whether the plan is of the Teams tier or higher. */
  mayCreateOrganizations: (userId: string) => Promise<boolean>
}

/** @param defaultProduct a product everybody has (DEFAULT_PRODUCT), if any */
export function plans(pool: pg.Pool, defaultProduct: string | undefined): Plans {
  const active = async (userId: string) => {
    const { rows } = await pool.query<{ product_id: string, may_create_organizations: boolean }>(
      'select product_id, may_create_organizations from private.active_product($1, $2)', [userId, defaultProduct ?? null])
    return rows[0]
  }
  return {
    status: async (userId) => {
      const product = await active(userId)
      return { isSubscribed: product !== undefined, productId: product?.product_id ?? null }
    },
    mayCreateOrganizations: async (userId) => (await active(userId))?.may_create_organizations ?? false,
  }
}
