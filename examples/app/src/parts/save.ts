/** Files that the browser saves. */

/** Where a file goes that is written while it is made; what is not closed is not there. */
type Place = { createWritable: () => Promise<WritableStream<Uint8Array>> }

// not in every browser, nor in TypeScript's
declare global {
  var showSaveFilePicker: ((options: { suggestedName: string }) => Promise<Place>) | undefined
}

/** A file that is there, as a download. */
export function save(file: Blob, name: string): void {
  const address = URL.createObjectURL(file)
  const link = Object.assign(document.createElement('a'), { href: address, download: name })
  link.click()
  URL.revokeObjectURL(address)
}

/**
 * A file that is made meanwhile: written where the person says, if the browser asks; else held in memory until it is whole.
 * @returns whether there is a file: somebody who is asked may say no
 */
export async function saveStream(make: () => Promise<ReadableStream<Uint8Array>>, name: string): Promise<boolean> {
  if (globalThis.showSaveFilePicker === undefined) {
    save(await new Response(await make()).blob(), name)
    return true
  }
  let place: Place
  try {
    // first, because it may only be asked right after a click
    place = await globalThis.showSaveFilePicker({ suggestedName: name })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return false
    throw error
  }
  const stream = await make()
  await stream.pipeTo(await place.createWritable())
  return true
}
