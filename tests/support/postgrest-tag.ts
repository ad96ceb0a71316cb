/** The PostgREST that `npm ci` installs. */
export const postgrestOfNpm = 'v12.0.2'

/** The PostgREST image of the tests: `POSTGREST_TAG`, otherwise that version. compose.yaml has a default of its own. */
export const postgrestTag = process.env['POSTGREST_TAG'] ?? postgrestOfNpm
