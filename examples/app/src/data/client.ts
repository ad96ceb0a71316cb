/** The one client of the page. Only the files of this folder, and the session, call it. */
import { createClient } from 'finance-client'

export const finance = createClient({ baseUrl: location.origin })
