/** Which PostgREST image tests run: the version that `npm ci` installs, whatever the containers' default is, unless told. */
export const postgrestTag = process.env['POSTGREST_TAG'] ?? 'v12.0.2'
