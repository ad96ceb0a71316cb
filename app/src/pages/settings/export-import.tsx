import { useMutation } from '@tanstack/react-query'
import type { Restored } from 'finance-client/export'
import { useId, useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import { useAccountChange } from '../../data/change.ts'
import { exportAll, restoreAll } from '../../data/me.ts'
import { activity } from '../../messages/activity.ts'
import { settings as m } from '../../messages/settings.ts'
import { fileErrorOf, fileSentence } from '../../parts/file-sentences.ts'
import { ErrorNote } from '../../parts/ui.tsx'
import { saveStream } from '../../parts/save.ts'
import { useToast } from '../../parts/toast.tsx'

/** Exports all data of the user as a file, and imports such a file. */
export function ExportImport() {
  const { team, rights } = useSessionContext()
  const toast = useToast()
  const name = `finance-${new Date().toISOString().slice(0, 10)}.zip`
  const take = useMutation({
    mutationFn: () => saveStream(exportAll, name),
    onSuccess: (isThere) => isThere && toast(m.exported),
  })
  return (
    <section className='section'>
      <h2>{m.exportTitle}</h2>
      <p>
        {m.exportHint}
        {team === null ? '' : m.exportHintTeam(team.name)}
        {m.exportHintEnd}
      </p>
      <ErrorNote error={take.error} />
      <div className='buttons'>
        <button type='button' disabled={take.isPending} onClick={() => take.mutate()}>
          {take.isPending ? m.exporting : m.exportEverything}
        </button>
      </div>
      {rights.write && <Restore where={team === null ? m.personalData : team.name} />}
    </section>
  )
}

function Restore({ where }: { where: string }) {
  const id = useId()
  const [file, setFile] = useState<File | null>(null)
  const [progress, setProgress] = useState('')
  const bring = useAccountChange((chosen: File) =>
    restoreAll(chosen, (done, rows) => setProgress(m.ofRows(done, rows)))
  )
  return (
    <div className='form'>
      <div className='field'>
        <label htmlFor={id}>{m.restoreInto(where)}</label>
        <input
          id={id}
          type='file'
          accept='.zip'
          aria-describedby={`${id}-note`}
          onChange={({ target }) => setFile(target.files?.[0] ?? null)}
        />
        <p id={`${id}-note`} className='field-note'>
          {m.restoreHint}
        </p>
      </div>
      <ErrorNote error={fileErrorOf(bring.error)} />
      <button
        type='button'
        disabled={file === null || bring.isPending}
        onClick={() => file !== null && bring.mutate(file)}
      >
        {bring.isPending ? m.restoring(progress) : m.restore}
      </button>
      <div role='status'>{bring.data !== undefined && <Outcome {...bring.data} />}</div>
    </div>
  )
}

/** The rows of each table. Two have no activity. */
const tableNames: Record<string, readonly string[] | undefined> = {
  ...activity.tables,
  dashboards: [m.dashboard],
}

/** Maximum number of listed problems. */
const mostProblems = 20

function Outcome({ tables, problems }: Restored) {
  const counts = Object.values(tables)
  const stored = counts.reduce((sum, table) => sum + table.stored, 0)
  const present = counts.reduce((sum, table) => sum + table.present, 0)
  return (
    <>
      <p>{m.restored(stored, present)}</p>
      {problems.length > 0 && (
        <>
          <p>{m.notRestored(problems.length)}</p>
          <ul>
            {problems.slice(0, mostProblems).map(({ table, id, message }) => (
              <li key={id}>
                {m.problemOf(
                  tableNames[table]?.[0] ?? activity.otherTable[0] ?? '',
                  id,
                  fileSentence(message),
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}
