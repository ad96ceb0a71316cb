/** The entry point of the app. */
import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { followAppearance, followLanguage } from './shell/preferences.ts'
import { followInstallation } from './shell/installation.ts'
import { router } from './shell/router.tsx'
import { followSession } from './shell/session.ts'
import { followRows } from './data/live.ts'
import { queries } from './data/queries.ts'
import { Toasts } from './parts/toast.tsx'

const container = document.querySelector('#app')
if (container === null) throw new Error('index.html has no #app')

followLanguage()
followAppearance()
followInstallation()
followSession(() => void router.invalidate())
followRows()

createRoot(container).render(
  <StrictMode>
    {/* the content security policy allows no <style> */}
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
        <Toasts />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
)
