import { inLanguage } from '../locale/language.ts'

export const errors = inLanguage({
  en: {
    /** Broken constraints of the database. */
    rules: {
      currency: 'There is no such currency. It has three letters, such as EUR.',
      decimals: 'The amount has more decimals than this currency allows.',
      name: 'A name has one to 255 characters.',
      length: 'This is too long.',
      daysInOrder: 'The end is before the beginning.',
      day: 'This day is too far in the past or in the future.',
      interval: 'This number of days is not possible.',
      lineItems: 'The parts add up to more than the whole.',
      amount: 'This is no amount.',
    },
    codes: {
      OIDC_UNAVAILABLE: 'The provider cannot be reached at the moment. Try again later.',
      NETWORK_ERROR: 'There was no response. Try again when the connection is back.',
      INVALID_CODE: 'This code is wrong, or was used already.',
      RATE_LIMIT_EXCEEDED: 'You have tried too often. Wait some minutes, and try again.',
      22003: 'The amount is too large.',
      22007: 'There is no such day.',
      22008: 'There is no such day.',
      23502: 'Something is missing.',
      23503: 'What you have chosen no longer exists.',
      23505: 'There is one like this already.',
      23514: 'One of the values cannot be stored.',
      42501: 'Your role here does not allow this.',
      UNSUPPORTED_MEDIA_TYPE: 'Files of this type cannot be added. Use a PDF, a photo (JPEG, PNG, WebP, HEIC), a text, a mail or XML.',
      FILE_UNREADABLE: 'The file cannot be read. It may have been moved or deleted.',
      PT404: 'It is no longer there.',
      PGRST116: 'It is no longer there.',
    },
    files: {
      tooLarge: (limit: string) => `The file is too large. A file has at most ${limit}.`,
      tooMany: (limit: number) => `A transaction has at most ${limit} files. Delete another file first.`,
      noSpace: (left: string) => `There is not enough space: ${left} left. Delete other files first.`,
    },
    daysAreClosed: (day: string) => `The days until ${day} are closed, so nothing was stored. Use a later day, or open the days again on the page Accounts.`,
    unknown: 'The service could not do this.',
    gone: 'another user has deleted this meanwhile, so nothing was stored',
    /** Failed sign-ins with the identity provider. */
    signIn: {
      codes: {
        OIDC_EMAIL_NOT_VERIFIED: 'The provider does not report your e-mail address as verified. Ask its operator.',
        ACCOUNT_NOT_VERIFIED:
          'There is an account with your address, but the address was never verified. Choose a new password by “Forgot your password?”, sign in with it and verify the address. Then you can also sign in with the provider.',
        SIGN_UP_CLOSED: 'You have no account here, and none can be made. Ask the operator of this service.',
        INVITATION_REQUIRED: 'You need an invitation to have an account here.',
        EMAIL_DOMAIN_NOT_ALLOWED: 'Addresses of this domain cannot have an account here.',
      },
      unknown: 'Signing in with the provider did not work, or took too long. Try again.',
    },
  },
})
