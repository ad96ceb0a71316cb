/** The layout of a mail: its text, and the HTML with the same content. No I/O. */
import { escapeHtml } from '../sanitize-names.ts'

/** A mail without its sender. `subject` is one line; `text` and `html` have the same content. */
export type Message = { to: string, subject: string, text: string, html: string }

type Content = {
  to: string
  subject: string
  name: string
  site: string
  before: string
  action: string
  url: string
  after: string[]
  /** A second link, less prominent than the first. */
  otherwise?: { before: string, action: string, url: string, after: string }
}

/**
 * Returns the HTML of a mail. The body sets no colours, so that the mail program can apply a dark
 * theme. The format-detection line keeps Apple Mail from linking numbers and dates in names.
 */
function htmlOf(
  { subject, before, action, url, after, otherwise }: Content,
  greeting: string,
  sender: string,
): string {
  const paragraph = (content: string) => `<p style="margin:0 0 16px">${content}</p>`
  const link = escapeHtml(url)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>${escapeHtml(subject)}</title>
</head>
<body style="margin:0 auto;padding:24px;max-width:560px;font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:1.5">
${paragraph(escapeHtml(greeting))}
${paragraph(escapeHtml(before))}
${
    paragraph(
      `<a href="${link}" style="display:inline-block;padding:10px 20px;border-radius:6px;background:#1d4ed8;color:#ffffff;font-weight:600;text-decoration:none">${
        escapeHtml(action)
      }</a>`,
    )
  }
${
    paragraph(
      `<span style="font-size:14px">Or copy this address into your browser:<br><span style="word-break:break-all">${link}</span></span>`,
    )
  }
${after.map((line) => paragraph(escapeHtml(line))).join('\n')}${
    otherwise === undefined ? '' : `
${
      paragraph(
        `${escapeHtml(otherwise.before)} <a href="${escapeHtml(otherwise.url)}">${
          escapeHtml(otherwise.action)
        }</a>`,
      )
    }
${paragraph(escapeHtml(otherwise.after))}`
  }
<p style="margin:24px 0 0;font-size:14px;opacity:0.7">${escapeHtml(sender)}</p>
</body>
</html>
`
}

/** Builds a mail. */
export function message(content: Content): Message {
  const { to, subject, name, site, before, url, after, otherwise } = content
  const greeting = name === '' ? 'Hello,' : `Hello ${name},`
  const sender = `Sent by ${site}`
  return {
    to,
    subject,
    // The link has its own line, so that no punctuation becomes part of it.
    text: [
      greeting,
      before,
      url,
      ...after,
      ...otherwise === undefined ? [] : [otherwise.before, otherwise.url, otherwise.after],
      sender,
    ].join('\n\n') + '\n',
    html: htmlOf(content, greeting, sender),
  }
}
