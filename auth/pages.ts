/**
 * The pages that a mailed link opens when no front end is there: an address verified, a new password, an
 * invitation. Each is one static document that talks to the routes next to it; nothing of the request is written into it.
 */
import { createHash } from 'node:crypto'

const style = `:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}body{max-width:26rem;margin:12vh auto;padding:0 1rem}
label{display:block;margin:1rem 0}input{display:block;width:100%;box-sizing:border-box;padding:.5rem;font:inherit}
button{padding:.5rem 1rem;font:inherit;margin-right:.5rem}[role=status]{min-height:1.5rem}`

/** Shared by the scripts: one JSON call, and the place where its outcome is told. */
const call = `const say=(text)=>{document.querySelector('[role=status]').textContent=text}
const call=async(path,body)=>{const reply=await fetch(path,{method:'POST',headers:{'content-type':'application/json'},body:JSON.stringify(body)})
const data=await reply.json();if(!reply.ok)throw Object.assign(new Error(data.message),{code:data.error});return data}
const parameter=(name)=>new URLSearchParams(location.search).get(name)??''
const form=document.querySelector('form')
const submit=(work)=>form?.addEventListener('submit',async(event)=>{event.preventDefault();const data=Object.fromEntries(new FormData(form,event.submitter))
try{await work(data)}catch(error){say(error.message)}})\n`

function page(title: string, body: string, script = '', status = 200): Response {
  const code = script === '' ? '' : call + script
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${title}</title><style>${style}</style></head>
<body><main><h1>${title}</h1>${body}<p role="status"></p></main>${code === '' ? '' : `<script>${code}</script>`}</body></html>`
  return new Response(html, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src ${hash(style)}; script-src ${code === '' ? `'none'` : hash(code)}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    },
  })
}

/** Whether a person's browser is asking, rather than a program. */
export const wantsPage = (request: Request): boolean => /(^|,)\s*text\/html\b/.test(request.headers.get('accept') ?? '')

/** What a browser that opened the link of a verification mail is shown. */
export const verifiedPage = (valid: boolean): Response => (valid
  ? page('E-mail address verified', '<p>Thank you. You can close this page and sign in.</p>')
  : page('This link no longer works', '<p>Sign in to get a new one by mail.</p>', '', 400))

/** The pages that ask for something first. Opening one changes nothing, because mail scanners and browsers open links unasked. */
export const pageRoutes: { path: string, page: () => Response }[] = [
  {
    path: '/reset-password',
    page: () => page('Choose a new password',
      '<form><label>New password<input type="password" name="password" autocomplete="new-password" minlength="8" maxlength="128" required></label><button>Save</button></form>',
      `submit(async({password})=>{await call('reset-password',{token:parameter('token'),password});form.remove();say('Your password is changed. You can close this page and sign in.')})`),
  },
  {
    path: '/disown-account',
    page: () => page('This was not you?',
      '<p>Somebody made an account with your e-mail address. Here you delete that account, with everything that is in it, and sign out whoever made it.</p><form><button>Delete the account</button></form>',
      `submit(async()=>{await call('disown-account',{token:parameter('token')});form.remove();say('The account is deleted. You can close this page.')})`),
  },
  {
    path: '/organization/accept-invitation',
    page: () => page('You are invited',
      `<p>Sign in with the address the invitation was sent to. Without an account yet, sign up in the application first and verify your address.</p>
<form><label>E-mail<input type="email" name="email" autocomplete="username" required></label>
<label>Password<input type="password" name="password" autocomplete="current-password" required></label>
<button name="answer" value="accept">Accept</button><button name="answer" value="reject">Decline</button></form>`,
      `submit(async({email,password,answer})=>{await call('../sign-in/email',{email,password});await call(answer+'-invitation',{invitationId:parameter('invitationId')})
form.remove();say(answer==='accept'?'Welcome. You can close this page and open the application.':'You declined the invitation.')})`),
  },
]
