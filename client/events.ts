/** Reads server-sent events from the body of a response. */

/**
 * A block of the stream. Its name and data are empty if it has only comments, an id or a retry
 * time.
 */
export type StreamEvent = {
  name: string
  data: string
  id: string | undefined
  retry: number | undefined
}

/** Parses a block of lines. Ignores comments and unknown fields. */
function parse(block: string): StreamEvent {
  const event: StreamEvent = { name: '', data: '', id: undefined, retry: undefined }
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^([a-z]+): ?(.*)$/.exec(line) ?? []
    if (field === 'event') event.name = value
    if (field === 'data') event.data += value
    if (field === 'id') event.id = value
    if (field === 'retry') event.retry = Number(value)
  }
  return event
}

/** Yields the blocks of the stream until its end. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<StreamEvent, void> {
  // not every browser iterates streams
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text = `${text}${decoder.decode(part.value, { stream: true })}`.replaceAll('\r\n', '\n')
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) yield parse(block)
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
