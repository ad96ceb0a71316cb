/**
 * Photos of a phone for tests of images, and the functions of the page that makes and measures
 * them.
 */
import type { Page } from 'playwright-core'

/** Exif with the orientation "rotate by 90° clockwise" and the position 48° N 11° E. */
function exif(): Buffer {
  const entry = (tag: number, type: number, count: number, value: number) => {
    const bytes = Buffer.alloc(12)
    bytes.writeUInt16LE(tag)
    bytes.writeUInt16LE(type, 2)
    bytes.writeUInt32LE(count, 4)
    bytes.writeUInt32LE(value, 8)
    return bytes
  }
  const directory = (...entries: Buffer[]) =>
    Buffer.concat([Buffer.from([entries.length, 0]), ...entries, Buffer.alloc(4)])
  const degrees = (value: number) => Buffer.from(new Uint32Array([value, 1, 0, 1, 0, 1]).buffer)
  const [orientation, position, short, long, text, rational] = [0x0112, 0x8825, 3, 4, 2, 5]
  // the directory of the position follows the header of 8 bytes and the first directory of 30 bytes
  const gps = 8 + 30
  const values = gps + 2 + 4 * 12 + 4
  const tiff = Buffer.concat([
    Buffer.from('II*\0\x08\0\0\0', 'latin1'),
    directory(entry(orientation, short, 1, 6), entry(position, long, 1, gps)),
    directory(
      entry(1, text, 2, 'N'.charCodeAt(0)),
      entry(2, rational, 3, values),
      entry(3, text, 2, 'E'.charCodeAt(0)),
      entry(4, rational, 3, values + 24),
    ),
    degrees(48),
    degrees(11),
  ])
  const content = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff])
  return Buffer.concat([Buffer.from([0xff, 0xe1, 0, content.length + 2]), content])
}

/** Functions of a page. Text, because the tests are compiled without the types of a browser. */
const pageFunctions = `
globalThis.bytesOf = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))

/** Draws an image with a red left half and a blue right half. */
globalThis.redAndBlue = async (width, height, type) => {
  const canvas = new OffscreenCanvas(width, height)
  const drawing = canvas.getContext('2d')
  drawing.fillStyle = 'red'
  drawing.fillRect(0, 0, width / 2, height)
  drawing.fillStyle = 'blue'
  drawing.fillRect(width / 2, 0, width / 2, height)
  const bytes = new Uint8Array(await (await canvas.convertToBlob({ type, quality: 0.5 })).arrayBuffer())
  return btoa(String.fromCharCode(...bytes))
}

globalThis.measure = async (file) => {
  const hasExif = (await file.text()).includes('Exif')
  const image = await createImageBitmap(file).catch(() => undefined)
  if (image === undefined) return { hasExif }
  const { width, height } = image
  const drawing = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d')
  drawing.drawImage(image, 0, 0)
  const colorAt = (y) => {
    const [red, , blue] = drawing.getImageData(width / 2, y, 1, 1).data
    return red > blue ? 'red' : 'blue'
  }
  return { hasExif, width, height, colors: [colorAt(height / 4), colorAt(height * 3 / 4)] }
}

globalThis.shrink = async (base64, name) => {
  const file = new File([bytesOf(base64)], name)
  const shrunk = await shrinkImage(file)
  return { isSame: shrunk === file, name: shrunk.name, type: shrunk.type, ...await measure(shrunk) }
}
`

export const addPhotoFunctions = (page: Page): Promise<unknown> => page.evaluate(pageFunctions)

/** Draws an image with a red left half and a blue right half. */
export const redAndBlue = async (
  page: Page,
  width: number,
  height: number,
  type: string,
): Promise<Buffer> =>
  Buffer.from(await page.evaluate<string>(`redAndBlue(${width}, ${height}, '${type}')`), 'base64')

/**
 * Returns a photo of a phone that was held upright. Its width and height are those of the sensor.
 */
export async function photo(page: Page, width: number, height: number): Promise<Buffer> {
  const jpeg = await redAndBlue(page, width, height, 'image/jpeg')
  return Buffer.concat([jpeg.subarray(0, 2), exif(), jpeg.subarray(2)])
}

type Shrunk = {
  isSame: boolean
  name: string
  type: string
  hasExif: boolean
  width?: number
  height?: number
  /** The colors of the upper and of the lower half. */
  colors?: string[]
}

/** Calls shrinkImage. */
export const shrink = (page: Page, bytes: Buffer, name: string): Promise<Shrunk> =>
  page.evaluate<Shrunk>(`shrink('${bytes.toString('base64')}', '${name}')`)
