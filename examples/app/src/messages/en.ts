/** English messages: every text that a user reads. Those with values are functions. */
export const messages = {
  /** Fields of rows, within a sentence. */
  fields: {
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
  },
  errors: {
    /** Broken constraints of the database. */
    rules: {
      currency: 'There is no such currency. It has three letters, such as EUR.',
      decimals: 'The amount has more decimals than can be kept in this currency.',
      name: 'A name has one to 255 characters.',
      length: 'This is too long.',
      daysInOrder: 'The end is before the beginning.',
      day: 'This day is too long ago, or too far ahead.',
      interval: 'So many days cannot be kept.',
      lineItems: 'The parts come to more than the whole.',
      amount: 'This is no amount.',
    },
    codes: {
      OIDC_UNAVAILABLE: 'The provider cannot be reached at the moment. Try again later.',
      NETWORK_ERROR: 'There was no answer. Try again when the connection is back.',
      INVALID_CODE: 'This code does not fit, or was used already.',
      RATE_LIMIT_EXCEEDED: 'That was too often. Wait some minutes, and try again.',
      22003: 'The amount is too large.',
      22007: 'There is no such day.',
      22008: 'There is no such day.',
      23502: 'Something is missing.',
      23503: 'What was chosen is no longer there.',
      23505: 'There is one like this already.',
      23514: 'One of the values cannot be kept.',
      42501: 'Your role here does not allow this.',
      PT404: 'It is no longer there.',
      PGRST116: 'It is no longer there.',
    },
    unknown: 'The service could not do this.',
    gone: 'somebody has deleted this meanwhile, so nothing was stored',
    /** Failed sign-ins with the identity provider. */
    signIn: {
      codes: {
        OIDC_EMAIL_NOT_VERIFIED: 'The provider does not say that your e-mail address is verified. Ask whoever runs it.',
        ACCOUNT_NOT_VERIFIED:
          'There is an account with your address that nobody has verified. Choose a new password by “Forgot your password?”, sign in with it and verify the address; then this works too.',
        SIGN_UP_CLOSED: 'You have no account here, and none can be made. Ask whoever runs this service.',
        INVITATION_REQUIRED: 'Who wants an account here needs an invitation.',
        EMAIL_DOMAIN_NOT_ALLOWED: 'Addresses of this domain cannot have an account here.',
      },
      unknown: 'Signing in with the provider did not work, or took too long. Try again.',
    },
  },
  transactions: {
    conflict: {
      date: 'date',
      field: (name: string, value: string | null) => value === null ? `the ${name}` : `the ${name} to ${value}`,
      message: (fields: string[]) => `somebody has changed ${fields.join(' and ')} meanwhile`,
      hint: 'Save again to have it your way, or close to leave it.',
    },
    changes: {
      rows: (count: number, name: string) => count === 1 ? name : `${count} transactions`,
      added: (rows: string) => `${rows} is added.`,
      transferred: 'The transfer is made.',
      changed: (rows: string, count: number) => `${rows} ${count === 1 ? 'is' : 'are'} changed.`,
      deleted: (rows: string, count: number) => `${rows} ${count === 1 ? 'is' : 'are'} deleted.`,
      hadBeenDeleted: (rows: string) => `${rows} had been deleted by somebody else.`,
    },
  },
}
