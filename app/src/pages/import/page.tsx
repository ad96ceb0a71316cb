import { useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import { type BankFile, openBankFile } from '../../data/bank-file.ts'
import { bankImport as m } from '../../messages/bank-import.ts'
import { EmptyState, PageHead } from '../../parts/ui.tsx'
import { useToast } from '../../parts/toast.tsx'
import { ToSort } from '../inbox/to-sort.tsx'
import { ChooseFile } from './choose-file.tsx'
import { OneFile } from './one-file.tsx'
import { PastImports } from './past-imports.tsx'

export function Page() {
  const { context, rights } = useSessionContext()
  const [file, setFile] = useState<BankFile | null>(null)
  const toast = useToast()
  const open = (chosen: File) =>
    void openBankFile(chosen).then(setFile, () => toast(m.openFailed(chosen.name)))
  return (
    <>
      <PageHead title={m.import}>
        {file !== null && (
          <button type='button' onClick={() => setFile(null)}>{m.anotherFile}</button>
        )}
      </PageHead>
      {!rights.write && <EmptyState>{m.viewerHint}</EmptyState>}
      {rights.write && file === null && <ToSort />}
      {rights.write &&
        (file === null
          ? <ChooseFile onChoose={open} />
          : (
            <OneFile
              key={`${context.key} ${file.id}`}
              file={file}
              onClose={() => setFile(null)}
            />
          ))}
      <PastImports />
    </>
  )
}
