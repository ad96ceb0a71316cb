/**
 * The library that sorts texts, usually that of the operating system. Another version of it may
 * sort differently, so that the indexes of texts miss rows. PostgreSQL notes the version with which
 * a database was made.
 */

/** A query for one sentence. Null if the version is the same, or if the database has none. */
export const collationChangeSql = `
  select format('Warning: the indexes of texts were built with version %s of the library that sorts them, and it is %s now, so they may miss rows. To rebuild them: docs/operations.md, The library of texts.',
    datcollversion, pg_database_collation_actual_version(oid)) as warning
  from pg_database where datname = current_database() and datcollversion <> pg_database_collation_actual_version(oid)`
