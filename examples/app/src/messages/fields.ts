import { inLanguage } from '../locale/language.ts'

/** Fields of rows, within a sentence. */
export const fields = inLanguage({
  en: {
    name: 'name',
    amount: 'amount',
    currency: 'currency',
    transaction_date: 'day',
    status: 'status',
    description: 'description',
    reference_no: 'reference',
    category_id: 'category',
    account_id: 'account',
    tag_id: 'tag',
    monthly_budget: 'monthly budget',
    budget_currency: 'currency of the budget',
    balance: 'opening balance',
    note: 'note',
    size: 'size in bytes',
    content_type: 'type',
  },
})
