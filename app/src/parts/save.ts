/** Downloads. */

/** A chosen file of the File System Access API. */
type FileHandle = { createWritable: () => Promise<WritableStream<Uint8Array>> }

// some browsers and TypeScript's types do not have it
declare global {
  var showSaveFilePicker: ((options: { suggestedName: string }) => Promise<FileHandle>) | undefined
}

/** Downloads a file. */
export function save(file: Blob, name: string): void {
  const address = URL.createObjectURL(file)
  const link = Object.assign(document.createElement('a'), { href: address, download: name })
  link.click()
  URL.revokeObjectURL(address)
}

/**
 * Streams a file to disk if the browser supports it. Otherwise collects it in memory first.
 * @returns false if the user cancelled
 */
export async function saveStream(
  make: () => Promise<ReadableStream<Uint8Array>>,
  name: string,
): Promise<boolean> {
  if (globalThis.showSaveFilePicker === undefined) {
    save(await new Response(await make()).blob(), name)
    return true
  }
  let handle: FileHandle
  try {
    // browsers allow it only directly after a click
    handle = await globalThis.showSaveFilePicker({ suggestedName: name })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return false
    throw error
  }
  const stream = await make()
  await stream.pipeTo(await handle.createWritable())
  return true
}
