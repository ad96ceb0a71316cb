/**
 * The formats of values that settings of several programs share. An error never contains the value,
 * because the value may be a secret.
 */
import ipaddr from 'ipaddr.js'
import { z } from 'zod'

/**
 * A number in digits. @param what such as `port number` @param range the message for a number
 * outside of the limits
 */
export const wholeNumber = (
  what: string,
  min: number,
  max: number,
  range = `must be from ${min} to ${max}`,
) =>
  z.string().regex(/^\d{1,16}$/, `must be a ${what}`).transform(Number).pipe(
    z.number().min(min, range).max(max, range),
  )
/** A port, with its default. */
export const port = (fallback: number) =>
  wholeNumber('port number', 1, 65_535).prefault(String(fallback))

/** Returns true for an origin without a path, a user or a slash at its end. */
export const isOrigin = (value: string): boolean => {
  if (!URL.canParse(value)) return false
  const url = new URL(value)
  return /^https?:$/.test(url.protocol) && url.origin === value && url.username === ''
}

/** Returns the value without spaces around it and without a slash at its end. */
export const withoutSlash = (value: string) => value.trim().replace(/\/$/, '')

/** The message for a value that is no origin. */
export const notAnOrigin = 'must be an origin such as https://money.example.org, without a path'

/** An origin, such as base_url. */
export const origin = z.string().transform(withoutSlash).refine(isOrigin, notAnOrigin)

/** Returns true for an address without a user, a query and a fragment. */
export const isPageUrl = (value: string): boolean => {
  if (!URL.canParse(value)) return false
  const { protocol, username, password, search, hash } = new URL(value)
  return /^https?:$/.test(protocol) &&
    [username, password, search, hash].every((part) => part === '') && !/[?#]$/.test(value)
}

/** The address of an app. */
export const appUrl = z.string().transform(withoutSlash)
  .refine(
    isPageUrl,
    'must be the address of an app such as https://app.example.org, without a query',
  )

/** A list, separated by commas. */
export const list = z.string().transform((value) =>
  value.split(',').map((item) => item.trim()).filter((item) => item !== '')
)

/** A URL with one of the protocols. */
export const urlOf = (protocols: RegExp, example: string) =>
  z.string().refine(
    (value) => URL.canParse(value) && protocols.test(new URL(value).protocol),
    `must be a URL such as ${example}`,
  )

/** Returns true if each percent sign begins an escape. */
export const isDecodable = (value: string): boolean => {
  try {
    decodeURIComponent(value)
    return true
  } catch {
    return false
  }
}

/**
 * A range of addresses in the format of ipaddr.js: the network and the length of its prefix in
 * bits.
 */
export type AddressRange = ReturnType<typeof ipaddr.parseCIDR>

/** An address, or a range of addresses. */
export const addressRange = z.string().transform((value, context): AddressRange => {
  try {
    return value.includes('/')
      ? ipaddr.parseCIDR(value)
      : [ipaddr.parse(value), ipaddr.parse(value).kind() === 'ipv4' ? 32 : 128]
  } catch {
    context.addIssue({
      code: 'custom',
      message: 'must be a comma list of CIDR ranges such as 10.0.0.0/8',
    })
    return z.NEVER
  }
})

const word = z.enum(['true', 'false'], 'must be true or false')
const isTrue = (value: 'true' | 'false') => value === 'true'
/** `true` or `false`, with its default. */
export const bool = (fallback: boolean) =>
  word.default(fallback ? 'true' : 'false').transform(isTrue)
/** `true` or `false`, without a default. */
export const flag = word.transform(isTrue)
