/** Archives for the tests: reads an export, and creates one as an attacker would. */
import {
  BlobReader,
  BlobWriter,
  TextReader,
  Uint8ArrayWriter,
  ZipReader,
  ZipWriter,
} from '@zip.js/zip.js/lib/zip-core-native.js'

export const blobOf = (stream: ReadableStream<Uint8Array>): Promise<Blob> =>
  new Response(stream).blob()

/** The files of an archive, by path, in their order. */
export async function filesOf(archive: Blob): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for (
    const entry of await new ZipReader(new BlobReader(archive), { useWebWorkers: false })
      .getEntries()
  ) {
    if (entry.directory) continue
    const bytes = await entry.getData(new Uint8ArrayWriter(), { useWebWorkers: false })
    files.set(entry.filename, new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))
  }
  return files
}

export async function archiveOf(files: Iterable<[path: string, text: string]>): Promise<Blob> {
  const writer = new ZipWriter(new BlobWriter(), { useWebWorkers: false })
  for (const [path, text] of files) await writer.add(path, new TextReader(text))
  return writer.close()
}

/** Parses rows as a program without long numbers does. */
export const rowsIn = (files: Map<string, string>, path: string): Record<string, any>[] =>
  (files.get(path) ?? '').split('\n').filter((line) => line !== '').map((line) =>
    JSON.parse(line) as Record<string, any>
  )
