import { inLanguage } from '../locale/language.ts'

export const common = inLanguage({
  en: {
    transactions: 'Transactions',
    undo: 'Undo',
    isDeleted: (name: string) => `${name} is deleted.`,
    aTeam: 'a team',
    signIn: 'Sign in',
    signUp: 'Sign up',
    editOf: (name: string) => `Edit ${name}`,
    name: 'Name',
    save: 'Save',
    edit: 'Edit',
    delete: 'Delete',
    exchangeRates: 'Exchange rates',
    amount: 'Amount',
    remove: 'Remove',
    deleteQuestion: (name: string) => `Delete ${name}?`,
    cancel: 'Cancel',
    cashFlow: 'Cash flow',
    emailAddress: 'E-mail address',
    currency: 'Currency',
    account: 'Account',
    category: 'Category',
    password: 'Password',
  },
})
