/** The settings of `npm start`: the programs that it runs, and its data. */
import { z } from 'zod'
import { floorOf } from '../floors.ts'
import { setting } from './setting.ts'

/** The programs of the database and of the data surface, and the folder of the data. */
export const programs = {
  POSTGRES_BIN: setting(z.string().optional(), {
    description:
      'the folder of the PostgreSQL programs that `npm start` runs; `embedded` means those of npm',
    unset: 'the newest installed server that is at or above its floor, or else the embedded one',
  }),
  POSTGREST_BIN: setting(z.string().optional(), {
    description: 'the PostgREST that `npm start` runs',
    unset: "its package's, `postgrest` on the path, or the official container if Docker answers",
  }),
  POSTGREST_TAG: setting(
    z.string().regex(/^[\w.-]+$/, 'must be a tag such as v16.5').default('v16.5'),
    {
      description: `the version of PostgREST's container; 12.0.2 and 16 from ${
        floorOf('postgrest', '16')
      } on are supported`,
    },
  ),
  DATA_DIR: setting(z.string().min(1, 'must be a directory').default('.data'), {
    description:
      "the folder of the embedded server's data and of the secrets that `npm start` generates",
  }),
}
