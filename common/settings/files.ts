/** The settings of files of transactions, for the migration and the auth service. */
import { z } from 'zod'
import { locationForm, objectLocation, type ObjectLocation } from '../object-location.ts'
import { wholeNumber } from './formats.ts'
import { setting } from './setting.ts'

const bucket = z.string().transform((value, context): ObjectLocation => {
  const location = objectLocation(value)
  if (location !== undefined) return location
  context.addIssue({ code: 'custom', message: `must be ${locationForm}, without credentials` })
  return z.NEVER
})
const secretWord = z.string().regex(/^[\x21-\x7e]+$/, 'must be one word').optional()

const quota = wholeNumber('number of bytes', 0, Number.MAX_SAFE_INTEGER, 'must be at least 0')

/** The limits of files, which the migration stores. */
export const limits = {
  FILE_MAX_BYTES: setting(wholeNumber('number of bytes', 1, 104_857_600).prefault('10485760'), {
    description:
      'the maximum size of a receipt or other file of a transaction, in bytes; the migration stores this and the three limits below',
    services: ['migrate'],
  }),
  FILES_PER_TRANSACTION: setting(
    wholeNumber('number of files', 0, 1_000).prefault('20'),
    {
      description: 'the maximum number of files of a transaction; 0 allows no new files',
      services: ['migrate'],
    },
  ),
  FILES_QUOTA: setting(quota.prefault('1073741824'), {
    description: "the maximum size of all files of a user's personal transactions, in bytes",
    services: ['migrate'],
  }),
  FILES_TEAM_QUOTA: setting(quota.optional(), {
    description: 'the maximum size of all files of a team, in bytes',
    unset: 'five times `FILES_QUOTA`',
    services: ['migrate'],
  }),
}

/** The object storage, with its credentials. */
export const storage = {
  FILES_URL: setting(bucket.optional(), {
    description:
      'the [object storage](operations.md#object-storage) of new files: `s3://bucket/optional-prefix?region=eu-central-1`, for other storages than Amazon S3 with `&endpoint=https://storage.example.org`. `AWS_REGION` and `AWS_ENDPOINT_URL_S3` count if it has none. Browsers read from it directly',
    unset: 'the database',
    services: ['auth', 'edge', 'migrate'],
  }),
  AWS_ACCESS_KEY_ID: setting(secretWord, {
    description: 'the key for the object storage',
    unset: 'the role of the ECS task or of the EKS pod',
    secret: true,
    services: ['auth', 'migrate'],
  }),
  AWS_SECRET_ACCESS_KEY: setting(secretWord, {
    description: 'its secret',
    secret: true,
    services: ['auth', 'migrate'],
  }),
  AWS_SESSION_TOKEN: setting(secretWord, {
    description: 'its session, if the key is a temporary one',
    secret: true,
    services: ['auth', 'migrate'],
  }),
}
