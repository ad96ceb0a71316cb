/** The PostgREST version that `npm ci` installs. */
export const postgrestOfNpm = 'v12.0.2'

/**
 * The tag of the PostgREST image for tests: `POSTGREST_TAG`, by default the version from npm.
 * compose.yaml has another default.
 */
export const postgrestTag = process.env['POSTGREST_TAG'] ?? postgrestOfNpm
