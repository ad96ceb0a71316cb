/** `shrinkImage`: makes photos of receipts smaller in the browser, and removes their metadata. */

export type ShrinkOptions = {
  /** Maximum length of the longer side, in pixels. Default 2000 */
  maxPixels?: number
  /** From 0 to 1. Default 0.8 */
  quality?: number
}

/**
 * The part of the browser that this file uses. Declared here, because programs without the
 * browser's types also import the client.
 */
const browser = globalThis as unknown as {
  createImageBitmap?: (file: Blob) => Promise<Bitmap>
  OffscreenCanvas?: new(width: number, height: number) => Offscreen
  document?: { createElement: (name: 'canvas') => Canvas }
}
type Bitmap = { width: number, height: number, close: () => void }
type Context = {
  fillStyle: string
  imageSmoothingQuality: string
  fillRect: (x: number, y: number, width: number, height: number) => void
  drawImage: (image: Bitmap, x: number, y: number, width: number, height: number) => void
  getImageData: (x: number, y: number, width: number, height: number) => { data: Uint8ClampedArray }
}
type Surface = { getContext: (kind: '2d') => Context | null }
type Offscreen = Surface & {
  convertToBlob: (options: { type: string, quality: number }) => Promise<Blob>
}
type Canvas = Surface & {
  width: number
  height: number
  toBlob: (use: (blob: Blob | null) => void, type: string, quality: number) => void
}

type Encode = (type: string, quality: number) => Promise<Blob | null>

const extensions: Readonly<Record<string, string>> = { 'image/webp': 'webp', 'image/jpeg': 'jpg' }

/** Returns true for JPEG, PNG, WebP and HEIC, by the first bytes. */
const isPhoto = (head: string) =>
  /^\xff\xd8\xff|^\x89PNG|^RIFF.{4}WEBP|^.{4}ftyp(?:hei|hev|mif1|msf1)/s.test(head)

/**
 * Returns true if the bytes may contain Exif, XMP, IPTC or text. HEIC nearly always does. A match
 * by chance only costs a new encoding.
 */
const hasMetadata = (bytes: string) =>
  /^.{4}ftyp|Exif|eXIf|EXIF|XMP |ns\.adobe\.com|Photoshop|[iz]TXt|tEXt/s.test(bytes)

const latin1 = async (part: Blob) => new TextDecoder('latin1').decode(await part.arrayBuffer())

function canvasOf(width: number, height: number): { context: Context | null, encode: Encode } {
  if (browser.OffscreenCanvas !== undefined) {
    const canvas = new browser.OffscreenCanvas(width, height)
    return {
      context: canvas.getContext('2d'),
      encode: (type, quality) => canvas.convertToBlob({ type, quality }),
    }
  }
  const canvas = Object.assign(browser.document!.createElement('canvas'), { width, height })
  return {
    context: canvas.getContext('2d'),
    encode: (type, quality) => new Promise((resolve) => canvas.toBlob(resolve, type, quality)),
  }
}

/**
 * Draws the image in its new size. @returns null if the browser does not let the page read a canvas
 */
function draw(image: Bitmap, maxPixels: number): Encode | null {
  const scale = Math.min(1, maxPixels / Math.max(image.width, image.height))
  const [width, height] = [
    Math.max(1, Math.round(image.width * scale)),
    Math.max(1, Math.round(image.height * scale)),
  ]
  const { context, encode } = canvasOf(width, height)
  if (context === null) return null
  context.fillStyle = '#fff'
  context.fillRect(0, 0, width, height)
  // protection against fingerprinting replaces the pixels by noise
  if (context.getImageData(0, 0, 1, 1).data.some((value) => value < 250)) return null
  context.imageSmoothingQuality = 'high'
  context.drawImage(image, 0, 0, width, height)
  return encode
}

/** Encodes as WebP, or as JPEG in a browser without a WebP encoder, which would return PNG. */
async function encoded(encode: Encode, quality: number): Promise<Blob | null> {
  const webp = await encode('image/webp', quality)
  return webp?.type === 'image/webp' ? webp : encode('image/jpeg', quality)
}

/**
 * Makes a JPEG, PNG, WebP or HEIC image smaller: WebP (JPEG in Safari), with its orientation
 * applied and without its position and other metadata. Transparent parts become white.
 *
 * Returns the file itself if it is no image, or if the browser cannot decode it (HEIC outside of
 * Safari) or read a canvas. Also if an image without metadata would not become smaller. Outside of
 * a browser it returns every file itself.
 * @returns a `File` with the new extension, or a `Blob` for a `Blob`
 */
export async function shrinkImage(
  file: Blob,
  { maxPixels = 2000, quality = 0.8 }: ShrinkOptions = {},
): Promise<Blob> {
  if (browser.createImageBitmap === undefined || !isPhoto(await latin1(file.slice(0, 16))))
    return file
  // the default applies the orientation
  const image = await browser.createImageBitmap(file).catch(() => undefined)
  if (image === undefined) return file
  let shrunk: Blob | null
  try {
    const encode = draw(image, maxPixels)
    shrunk = encode && await encoded(encode, quality)
  } finally {
    image.close()
  }
  const extension = extensions[shrunk?.type ?? '']
  if (
    shrunk === null || extension === undefined ||
    (shrunk.size >= file.size && !hasMetadata(await latin1(file)))
  ) return file
  const { name } = file as Partial<File>
  return name === undefined
    ? shrunk
    : new File([shrunk], `${name.replace(/\.[^.]*$/, '')}.${extension}`, { type: shrunk.type })
}
