/**
 * Sentences for the paths of other backends. A developer who points a client of Supabase,
 * PocketBase or Firebase here learns the right path. No I/O.
 */

const signIn =
  'Sign in with POST /api/auth/sign-in/email, then get a token with POST /api/auth/token.'
const files =
  'Files belong to transactions: POST /data/rpc/begin_upload, then PUT /api/auth/files/{ticket}.'
const changes = 'Changes of rows are a stream of server-sent events: GET /api/auth/changes.'
const rows = 'Tables are at /data/{table}, and functions at /data/rpc/{function}.'
const surfaces = 'The auth surface is at /api/auth, and the data surface at /data.'

const sentence = (problem: string, direction: string) =>
  `${problem} ${direction} All routes are at /docs.`
const unknownPath = (direction: string) => sentence('This path does not exist.', direction)

/** The direction for each path. The first match counts. */
const directions: readonly (readonly [path: RegExp, direction: string])[] = [
  // supabase-js. Its /rest/v1 is an address of the data surface
  [/^\/auth\/v1(?:[/?]|$)/, signIn],
  [/^\/storage\/v1(?:[/?]|$)/, files],
  [/^\/(?:functions|graphql)\/v1(?:[/?]|$)/, rows],
  [/^\/realtime\/v1(?:[/?]|$)/, changes],
  // PocketBase
  [/^\/api\/collections\/[^/?]+\/(?:auth|request|confirm)-/, signIn],
  [/^\/api\/collections(?:[/?]|$)/, rows],
  [/^\/api\/realtime(?:[/?]|$)/, changes],
  [/^\/api\/files(?:[/?]|$)/, files],
  // Firebase with the address of an emulator
  [/^\/(?:identitytoolkit|securetoken)\.googleapis\.com\//, signIn],
  [/^\/(?:google\.firestore\.v1\.Firestore|v1\/projects\/[^/?]+\/databases)\//, rows],
  // every other path below /api
  [/^\/api(?!\/auth(?:[/?]|$))(?:[/?]|$)/, surfaces],
]

/**
 * Returns a sentence that names the right path. Undefined for every path that is not another
 * backend's.
 */
export function directionFor(target: string): string | undefined {
  const direction = directions.find(([path]) => path.test(target))?.[1]
  return direction === undefined ? undefined : unknownPath(direction)
}

/** The sentence for a path that neither the app nor a surface has. */
export const nothingHere = unknownPath(surfaces)

/** The sentence for a method that changes something, at a path of the app. */
export const onlyReads = sentence('The app has only GET and HEAD.', surfaces)
