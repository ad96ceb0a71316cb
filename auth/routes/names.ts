/** What a route is called where it is a function: in the client, and in the description. No I/O. */

const camelCase = (segment: string): string => segment.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

/**
 * Where a route's method is found, without the word that says that one signs in by an address: `/organization/set-active`
 * is `organization.setActive`, `/sign-in/email` is `signIn`, and `/sign-in/oidc` stands beside it as `signInOidc`.
 */
export const methodOf = (path: string): string[] => path.replace(/\/email$/, '').replace(/^\/sign-in\//, '/sign-in-').split('/').slice(1).map(camelCase)

/** The same as one word: `organizationSetActive`. */
export const operationIdOf = (path: string): string =>
  methodOf(path).map((word, at) => (at === 0 ? word : `${word.charAt(0).toUpperCase()}${word.slice(1)}`)).join('')
