/**
 * Opens the object storage of FILES_URL. The client is loaded only then, so that other deployments
 * need no memory for it.
 */
import { credentialSource, type Credentials } from './aws-credentials.ts'
import type { ObjectLocation } from './object-location.ts'
import type { ObjectStorage } from './object-storage.ts'

/**
 * The location of the files, and the keys of the settings. Without keys the role of the platform
 * counts.
 */
export type ObjectOptions = { location: ObjectLocation, keys: Credentials | undefined }

/** @throws ConfigError if there are no credentials */
export async function openObjects({ location, keys }: ObjectOptions): Promise<ObjectStorage> {
  const credentials = credentialSource(keys, location.region, process.env)
  const { createObjectStorage } = await import('./object-storage.ts')
  return createObjectStorage(location, credentials)
}
