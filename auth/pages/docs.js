/**
 * The script of /docs: Swagger UI, and a form that signs in. The browser keeps the session cookie.
 * This script fetches a token for the data surface and passes it to Swagger UI. It fetches a new
 * token when the session or its active organization changes.
 */
const calls = '/api/auth'
/** Interval of token renewals, in milliseconds. A token expires after an hour. */
const renewalMs = 30 * 60_000
/**
 * The key in sessionStorage that marks a signed-in tab. A script cannot see the cookie, and a
 * request for a token without it is an error.
 */
const remembered = 'signed-in'

const status = document.querySelector('[role=status]')
const [signIn, signOut] = ['sign-in', 'sign-out'].map((id) => document.querySelector(`#${id}`))

/** Sends a POST request to the auth surface. @throws Error with the message for the user */
async function post(path, body) {
  const reply = await fetch(`${calls}${path}`, {
    method: 'POST',
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  const answer = await reply.json()
  if (!reply.ok) throw new Error(answer.message)
  return answer
}

/** Shows either the sign-in or the sign-out form, and a sentence. */
function show(isSignedIn, sentence) {
  signIn.hidden = isSignedIn
  signOut.hidden = !isSignedIn
  if (isSignedIn) sessionStorage.setItem(remembered, 'yes')
  else sessionStorage.removeItem(remembered)
  status.replaceChildren(sentence)
}

let isShown
const shown = new Promise((resolve) => {
  isShown = resolve
})

/**
 * A plugin of Swagger UI. Its search looks for each word in the group, the path and the summary of
 * an operation. It opens the groups of what it finds. Without it Swagger UI compares only the group
 * and the path, and its groups stay closed.
 */
const search = ({ React }) => ({
  components: {
    FilterContainer: ({ layoutActions }) =>
      React.createElement(
        'div',
        { className: 'filter wrapper' },
        React.createElement('input', {
          type: 'search',
          className: 'operation-filter-input',
          'aria-label': 'Search the operations',
          placeholder: 'Search the operations, such as: invite member',
          onChange: ({ target }) => layoutActions.updateFilter(target.value),
        }),
      ),
  },
  fn: {
    opsFilter: (groups, phrase) => {
      const words = phrase.toLowerCase().split(/\s+/)
      const hasAll = (text) => words.every((word) => text.toLowerCase().includes(word))
      const found = (group, name) =>
        group.update(
          'operations',
          (all) =>
            all.filter((one) =>
              hasAll(`${name} ${one.get('path')} ${one.getIn(['operation', 'summary'])}`)
            ),
        )
      return groups.map(found).filter((group) => group.get('operations').size > 0)
    },
  },
  statePlugins: {
    layout: {
      wrapSelectors: {
        isShown: (original) => (state, thing, otherwise) => {
          const phrase = state.get('filter')
          const isFound = [thing].flat()[0] === 'operations-tag' && typeof phrase === 'string' &&
            phrase !== ''
          return original(thing, isFound || otherwise)
        },
      },
    },
  },
})

const explorer = SwaggerUIBundle({
  url: `${calls}/openapi.json`,
  domNode: document.querySelector('#explorer'),
  presets: [SwaggerUIBundle.presets.apis],
  deepLinking: true,
  docExpansion: 'none',
  tryItOutEnabled: true,
  filter: true,
  plugins: [search],
  // by default Swagger UI sends the document to a foreign server for validation
  validatorUrl: null,
  onComplete: isShown,
  responseInterceptor: (response) => {
    const path = URL.canParse(response.url) ? new URL(response.url).pathname : ''
    const effect = response.ok
      ? explorer.specSelectors.specJson().getIn(['paths', path, 'post', 'x-session'])
      : undefined
    if (effect === 'starts' || effect === 'switches') void authorize()
    if (effect === 'ends') forget()
    return response
  },
})

/** Fetches a token and passes it to Swagger UI. */
async function authorize() {
  try {
    const { token } = await post('/token')
    await shown
    explorer.preauthorizeApiKey('bearer', token)
    show(true, 'You are signed in. Requests run with your account.')
  } catch (error) {
    forget(error.message)
  }
}

function forget(sentence = 'You are signed out.') {
  explorer.authActions.logout(['bearer'])
  show(false, sentence)
}

signIn.addEventListener('submit', (event) => {
  event.preventDefault()
  post('/sign-in/email', Object.fromEntries(new FormData(signIn))).then(authorize).catch((error) =>
    show(false, error.message)
  )
})
signOut.addEventListener('submit', (event) => {
  event.preventDefault()
  post('/sign-out').then(() => forget()).catch((error) => forget(error.message))
})

if (sessionStorage.getItem(remembered) !== null) void authorize()
setInterval(() => {
  if (!signOut.hidden) void authorize()
}, renewalMs)
