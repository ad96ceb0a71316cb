import { useState } from 'react'
import { useSessionContext } from '../../app/session-context.tsx'
import { type BankFile, openBankFile } from '../../data/bank-file.ts'
import { EmptyState, PageHead } from '../../parts/ui.tsx'
import { useToast } from '../../parts/toast.tsx'
import { ChooseFile } from './choose-file.tsx'
import { OneFile } from './one-file.tsx'
import { PastImports } from './past-imports.tsx'

export function Page() {
  const { context, rights } = useSessionContext()
  const [file, setFile] = useState<BankFile | null>(null)
  const toast = useToast()
  const open = (chosen: File) => void openBankFile(chosen).then(setFile, () => toast(`${chosen.name} could not be opened.`))
  return (
    <>
      <PageHead title='Import'>
        {file !== null && <button type='button' onClick={() => setFile(null)}>Another file</button>}
      </PageHead>
      {!rights.write && <EmptyState>You are a viewer of this team. Its owner, admins and editors import.</EmptyState>}
      {rights.write &&
        (file === null ? <ChooseFile onChoose={open} /> : <OneFile key={`${context.key} ${file.id}`} file={file} onClose={() => setFile(null)} />)}
      <PastImports />
    </>
  )
}
