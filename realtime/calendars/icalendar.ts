/** Writes calendars in the format of calendar programs: iCalendar (RFC 5545). No I/O. */

/** An event of a whole day. A day has no time zone, so it is the same day everywhere. */
export type DayEvent = {
  /** The same in each version of the calendar, so that programs recognize the event. */
  uid: string
  /** YYYY-MM-DD */
  day: string
  title: string
  category: string
}

/** The most octets of a line. */
const lineOctets = 75

/** Escapes a text value. Control characters are not allowed in one. */
const escape = (text: string): string =>
  text.replace(/[\\;,]/g, '\\$&').replace(/\r\n|[\r\n]/g, '\\n').replace(/[^\t\P{Cc}]/gu, '')

/** Splits a long line. The next one begins with a space, and no character is divided. */
function fold(line: string): string {
  let folded = ''
  let octets = 0
  for (const character of line) {
    const more = Buffer.byteLength(character)
    if (octets + more > lineOctets) {
      folded += '\r\n '
      octets = 1
    }
    folded += character
    octets += more
  }
  return folded
}

const dateOf = (day: string): string => day.replaceAll('-', '')

const dayAfter = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)

const eventLines = ({ uid, day, title, category }: DayEvent, writtenOn: string): string[] => [
  'BEGIN:VEVENT',
  `UID:${uid}`,
  `DTSTAMP:${writtenOn}T000000Z`,
  `DTSTART;VALUE=DATE:${dateOf(day)}`,
  `DTEND;VALUE=DATE:${dateOf(dayAfter(day))}`,
  `SUMMARY:${escape(title)}`,
  `CATEGORIES:${escape(category)}`,
  // the day remains free for appointments
  'TRANSP:TRANSPARENT',
  'END:VEVENT',
]

/**
 * Returns the text of a calendar.
 * @param now only its day counts, so that the calendar of an unchanged day is the same text
 * @param refreshHours the interval at which programs should read it again
 */
export const iCalendar = (
  name: string,
  events: DayEvent[],
  now: Date,
  refreshHours: number,
): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//finance-backend//Calendar//EN',
    `NAME:${escape(name)}`,
    // the name for programs of before RFC 7986
    `X-WR-CALNAME:${escape(name)}`,
    `REFRESH-INTERVAL;VALUE=DURATION:PT${refreshHours}H`,
    `X-PUBLISHED-TTL:PT${refreshHours}H`,
    ...events.flatMap((event) => eventLines(event, dateOf(now.toISOString().slice(0, 10)))),
    'END:VCALENDAR',
    '',
  ].map(fold).join('\r\n')
