/** The steps of a file: questions, then the review of its rows. */
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import { accountsQuery } from '../../data/accounts.ts'
import { type Answers, type BankFile, bankFileQuery } from '../../data/bank-file.ts'
import { recall, remember, signatureOf } from '../../data/import-answers.ts'
import { fileSentence } from '../../parts/file-sentences.ts'
import { ErrorNote, Skeleton } from '../../parts/ui.tsx'
import { AppExportReview } from './app-export.tsx'
import { ColumnsForm } from './columns.tsx'
import { Questions, questionsOf } from './questions.tsx'
import { Review } from './review.tsx'

/** Reads a file with the user's answers, by default with those that were remembered for its bank. */
function useReading(file: BankFile, owner: string) {
  const [given, setGiven] = useState<Answers | null>(null)
  // reading the file without answers identifies the bank, and so the remembered answers
  const plain = useQuery(bankFileQuery(file, {}))
  const sign = plain.data === undefined ? undefined : signatureOf(plain.data)
  const recalled = useMemo(() => sign === undefined ? undefined : recall(owner, sign), [
    owner,
    sign,
  ])
  const answers = given ?? recalled?.answers ?? {}
  const read = useQuery({ ...bankFileQuery(file, answers), enabled: plain.data !== undefined })
  return { answers, setGiven, sign, recalled, data: read.data, error: plain.error ?? read.error }
}

export function OneFile({ file, onClose }: { file: BankFile, onClose: () => void }) {
  const { user, context } = useSessionContext()
  const owner = `${user.id} ${context.key}`
  const [isOnlyRows, setIsOnlyRows] = useState(false)
  const accounts = useQuery(accountsQuery(context))
  const { answers, setGiven, sign, recalled, data, error: readError } = useReading(file, owner)
  const error = readError ?? accounts.error

  if (error !== null) return <ErrorNote error={error} />
  if (data === undefined || accounts.data === undefined) return <Skeleton />
  if ('refusal' in data)
    return (
      <Refused
        key={file.id}
        {...data.refusal}
        onColumns={(columns) => setGiven({ ...answers, columns })}
      />
    )
  const { statement, exported } = data
  if (statement.problems.some(({ option }) => option !== undefined))
    return (
      <Questions
        key={questionsOf(statement.problems)}
        file={file}
        problems={statement.problems}
        answers={answers}
        onAnswer={setGiven}
      />
    )
  if (exported !== undefined && !isOnlyRows) {
    return (
      <AppExportReview
        file={file}
        exported={exported}
        accounts={accounts.data}
        onRows={() => setIsOnlyRows(true)}
        onDone={onClose}
      />
    )
  }
  return (
    <Review
      file={file}
      statement={statement}
      answers={answers}
      onAnswer={setGiven}
      accounts={accounts.data}
      recalled={recalled}
      onDone={(what) => {
        if (sign !== undefined) remember(owner, sign, { answers, ...what })
        onClose()
      }}
    />
  )
}

type RefusedProps = {
  message: string
  lines: string[][]
  onColumns: (columns: NonNullable<Answers['columns']>) => void
}

/** Asks for the columns of an unreadable file if that would help. */
const Refused = ({ message, lines, onColumns }: RefusedProps) =>
  lines.length === 0
    ? (
      <div className='error-note' role='alert'>
        <p>{fileSentence(message)}</p>
      </div>
    )
    : <ColumnsForm lines={lines} onAnswer={onColumns} />
