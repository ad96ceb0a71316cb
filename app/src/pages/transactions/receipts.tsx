/** The receipts of a transaction: pictures, files, and the ways to add some. */
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import {
  type Attachment,
  attachmentsQuery,
  changeAttachment,
  deleteAttachment,
  fileUrlQuery,
  readFile,
  refreshAttachments,
} from '../../data/attachments.ts'
import { useChange } from '../../data/change.ts'
import type { Transaction } from '../../data/transactions/api.ts'
import { useUploads } from '../../data/uploads.ts'
import { formatSize } from '../../locale/sizes.ts'
import { common } from '../../messages/common.ts'
import { receipts as m } from '../../messages/receipts.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, SubmitButton, TextField } from '../../parts/form.tsx'
import { save } from '../../parts/save.ts'
import { useToast } from '../../parts/toast.tsx'
import { Action, ErrorNote, Skeleton } from '../../parts/ui.tsx'
import { AddReceipts, UploadItem } from './add-receipts.tsx'

/** The receipts of a transaction as a dialog, also for viewers. */
export const ReceiptsDialog = (
  { transaction: { id, name }, onClose }: { transaction: Transaction, onClose: () => void },
) => (
  <Dialog title={m.receiptsOf(name)} open onClose={onClose}>
    <Receipts transactionId={id} />
  </Dialog>
)

/** Types that every browser shows as a picture. */
const pictureTypes = ['image/jpeg', 'image/png', 'image/webp']
const isPicture = ({ content_type: type }: Attachment) =>
  type !== null && pictureTypes.includes(type)

/** The changes of receipts, and the sentence that gets the focus after them. */
function useEditing(transactionId: string) {
  const { context } = useSessionContext()
  const [edited, setEdited] = useState<string | null>(null)
  const summary = useRef<HTMLParagraphElement>(null)
  /** Moves the focus before the focused button is removed, so that it stays in the dialog. */
  const focusSummary = () => summary.current?.focus()
  const stopEditing = () => {
    setEdited(null)
    focusSummary()
  }
  const refresh = () => refreshAttachments(context, transactionId)
  const remove = useChange(deleteAttachment, {
    outcome: (_, row) => ({ text: common.deleted(row.name), undoOf: row.id }),
    onStored: focusSummary,
    toastsErrors: true,
    refresh,
  })
  const change = useChange(changeAttachment, { onStored: stopEditing, refresh })
  const edit = (id: string) => {
    change.reset()
    setEdited(id)
  }
  return { summary, edited, edit, stopEditing, remove, change }
}

export function Receipts({ transactionId }: { transactionId: string }) {
  const { context, rights } = useSessionContext()
  const files = useQuery(attachmentsQuery(context, transactionId))
  const uploads = useUploads(transactionId)
  const [shown, setShown] = useState<Attachment | null>(null)
  const { summary, edited, edit, stopEditing, remove, change } = useEditing(transactionId)
  const running = uploads.filter(({ error }) => error === null).length
  return (
    <div className='tx-receipts'>
      <ErrorNote error={files.error} />
      {files.isPending && <Skeleton rows={1} />}
      {files.data !== undefined && (
        <p ref={summary} tabIndex={-1} role='status' className='field-note'>
          {m.status(files.data.length, running)}
        </p>
      )}
      <ul className='list'>
        {files.data?.map((file) => (
          <li key={file.id}>
            {edited === file.id
              ? (
                <ReceiptForm
                  file={file}
                  error={change.error}
                  isBusy={change.isPending}
                  onSubmit={(values) => change.mutate({ id: file.id, values })}
                  onClose={stopEditing}
                />
              )
              : (
                <Receipt
                  file={file}
                  onShow={() => setShown(file)}
                  onEdit={() => edit(file.id)}
                  onDelete={() => remove.mutate(file)}
                />
              )}
          </li>
        ))}
        {uploads.map((upload) => <UploadItem key={upload.id} upload={upload} />)}
      </ul>
      {rights.write && <AddReceipts transactionId={transactionId} />}
      {shown !== null && (
        <Dialog title={shown.name} open onClose={() => setShown(null)}>
          <Picture file={shown} className='tx-receipt-large' />
        </Dialog>
      )}
    </div>
  )
}

type ReceiptFormProps = {
  file: Attachment
  error: Error | null
  isBusy: boolean
  onSubmit: (values: { name: string, note: string | null }) => void
  onClose: () => void
}

/** Changes the name and the note of a receipt. */
const ReceiptForm = ({ file, error, isBusy, onSubmit, onClose }: ReceiptFormProps) => (
  <Form<{ name: string, note: string }>
    defaultValues={{ name: file.name, note: file.note ?? '' }}
    error={error}
    onSubmit={({ name, note }) =>
      isBusy || onSubmit({ name, note: note || null })}
  >
    <TextField
      name='name'
      label={m.fileName}
      required
      maxLength={255}
      autoComplete='off'
      autoFocus
    />
    <TextField name='note' label={m.note} maxLength={1000} autoComplete='off' />
    <div className='buttons'>
      <SubmitButton isBusy={isBusy}>{common.save}</SubmitButton>
      <button type='button' className='quiet' onClick={onClose}>
        {common.cancel}
      </button>
    </div>
  </Form>
)

type ReceiptProps = {
  file: Attachment
  onShow: () => void
  onEdit: () => void
  onDelete: () => void
}

/** A receipt with its actions. */
function Receipt({ file, onShow, onEdit, onDelete }: ReceiptProps) {
  const { rights } = useSessionContext()
  return (
    <>
      <File file={file} onShow={onShow} />
      {rights.write && <Action name={common.edit} of={file.name} onClick={onEdit} />}
      {rights.write && <Action name={common.delete} of={file.name} onClick={onDelete} />}
    </>
  )
}

/**
 * A picture, or a file to download. No other file opens in a tab, because a blob has the origin of
 * the app.
 */
function File({ file, onShow }: { file: Attachment, onShow: () => void }) {
  const toast = useToast()
  const download = () => void readFile(file.id).then((blob) => save(blob, file.name)).catch(toast)
  const text = (
    <span>
      {file.name}
      <small>{formatSize(file.size)}{file.note !== null && `, ${file.note}`}</small>
    </span>
  )
  if (!isPicture(file)) {
    return (
      <>
        {text}
        <Action name={m.download} of={file.name} onClick={download} />
      </>
    )
  }
  return (
    <>
      {text}
      <button
        type='button'
        className='tx-receipt-open'
        aria-label={`${m.show} ${file.name}`}
        onClick={onShow}
      >
        <Picture file={file} className='tx-receipt-small' />
      </button>
    </>
  )
}

function Picture({ file: { id, name }, className }: { file: Attachment, className: string }) {
  const { context } = useSessionContext()
  const url = useQuery(fileUrlQuery(context, id))
  if (url.data === undefined)
    return url.error === null
      ? <Skeleton rows={1} />
      : <ErrorNote error={url.error} />
  return <img className={className} src={url.data} alt={name} />
}
