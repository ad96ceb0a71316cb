/** The types of files, by their first bytes. */
import { expect, test } from 'vitest'
import { contentTypeOf } from '../../storage/content-type.ts'

const typeOf = (bytes: string | number[]) =>
  contentTypeOf(typeof bytes === 'string' ? Buffer.from(bytes, 'utf8') : Buffer.from(bytes))
const ascii = (text: string) => [...Buffer.from(text, 'latin1')]

test.each([
  ['%PDF-1.7\n%âãÏÓ', 'application/pdf'],
  [[0xff, 0xd8, 0xff, 0xe1, 0, 0], 'image/jpeg'],
  [[0x89, ...ascii('PNG\r\n\x1a\n'), 0, 0], 'image/png'],
  [[...ascii('RIFF'), 1, 2, 3, 4, ...ascii('WEBPVP8 ')], 'image/webp'],
  [[0, 0, 0, 24, ...ascii('ftypheic'), 0, 0, 0, 0], 'image/heic'],
  [[0, 0, 0, 24, ...ascii('ftypmif1'), 0, 0, 0, 0], 'image/heic'],
  ['Coffee 3.50\r\nTotal 3.50\r\n', 'text/plain'],
  ['\ufeffKaffee 3,50 €', 'text/plain'],
  [ascii('Caf\xe9 3.50'), 'text/plain'],
  ['see <http://example.org/xhtml> for the header', 'text/plain'],
  [
    'Return-Path: <a@example.org>\r\nSubject: Invoice\r\n\r\n<html><script>alert(1)</script></html>',
    'message/rfc822',
  ],
  ['From: a@example.org\nTo: b@example.org\n\nHello', 'message/rfc822'],
  [
    '<?xml version="1.0"?>\n<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"/>',
    'application/xml',
  ],
  [
    '<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"><Header/></Invoice>',
    'application/xml',
  ],
])(
  'a file is accepted that begins with %j as %s',
  (bytes, type) => expect(typeOf(bytes)).toBe(type),
)

test.each([
  ['a page', '<!DOCTYPE html><title>x</title>'],
  ['a page after spaces and a byte order mark', '\ufeff \n<HTML lang=en>'],
  ['a text with a script', 'Total 3.50 <script>alert(1)</script>'],
  ['a picture that runs scripts', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  [
    'such a picture with a prefix',
    '<?xml version="1.0"?><a:svg xmlns:a="http://www.w3.org/2000/svg" />',
  ],
  ['XML with a stylesheet', '<?xml version="1.0"?><?xml-stylesheet href="x"?><a/>'],
  ['XML of a page', '<?xml version="1.0"?><a xmlns="http://www.w3.org/1999/xhtml"/>'],
  ['XML with entities', '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a/>'],
  ['an archive, such as an office document', ascii('PK\x03\x04')],
  ['an old office document', [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]],
  ['a program', [0x7f, ...ascii('ELF')]],
  ['a Windows program', ascii('MZ\x90\x00')],
  ['a film', [0, 0, 0, 24, ...ascii('ftypisom')]],
  ['a GIF', ascii('GIF89a\x01\x00')],
  ['a PDF after other bytes', 'x\0%PDF-1.7'],
  ['bytes without a form', [0, 1, 2, 3]],
  ['UTF-16', [0xff, 0xfe, 0x41, 0x00]],
])('a file is refused if it is %s', (_kind, bytes) => expect(typeOf(bytes)).toBeUndefined())
