/** Adds receipts: by a file picker, the camera, paste, and drag and drop. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import { fileSpaceQuery } from '../../data/attachments.ts'
import { addFiles, removeUpload, retryUpload, type Upload } from '../../data/uploads.ts'
import { formatSize } from '../../locale/sizes.ts'
import { common } from '../../messages/common.ts'
import { receipts as m } from '../../messages/receipts.ts'
import { Action, ErrorNote } from '../../parts/ui.tsx'

/** The types that the service stores. It recognizes them by their bytes. */
const accepted =
  '.pdf,.jpg,.jpeg,.png,.webp,.heic,.txt,.eml,.xml,application/pdf,image/jpeg,image/png,image/webp,image/heic'

/**
 * Receives files that the user pastes or drops anywhere on the page while the component is mounted.
 */
function useFiles(onFiles: (files: FileList) => void): void {
  const latest = useRef(onFiles)
  useEffect(() => {
    latest.current = onFiles
  })
  useEffect(() => {
    const take = (event: Event, data: DataTransfer | null) => {
      // without this the browser would leave the app and show the file
      if (data?.types.includes('Files') === true) event.preventDefault()
      if (data !== null && data.files.length > 0) latest.current(data.files)
    }
    const paste = (event: ClipboardEvent) => {
      // office programs also copy a picture of the text that the user pastes into a field
      const isText = event.target instanceof HTMLInputElement &&
        event.clipboardData?.types.includes('text/plain') === true
      if (!isText) take(event, event.clipboardData)
    }
    const over = (event: DragEvent) =>
      event.dataTransfer?.types.includes('Files') === true && event.preventDefault()
    const drop = (event: DragEvent) => take(event, event.dataTransfer)
    document.addEventListener('paste', paste)
    document.addEventListener('dragover', over)
    document.addEventListener('drop', drop)
    return () => {
      document.removeEventListener('paste', paste)
      document.removeEventListener('dragover', over)
      document.removeEventListener('drop', drop)
    }
  }, [])
}

export function AddReceipts({ transactionId }: { transactionId: string }) {
  const { context } = useSessionContext()
  const picker = useRef<HTMLInputElement>(null)
  const camera = useRef<HTMLInputElement>(null)
  const space = useQuery(fileSpaceQuery(context)).data?.find(({ organization_id: id }) =>
    id === context.id
  )
  const add = (files: FileList | null) => {
    if (files !== null) addFiles(context, transactionId, files)
  }
  useFiles(add)
  return (
    <>
      <div className='buttons'>
        <button type='button' onClick={() => picker.current?.click()}>{m.addFiles}</button>
        <button type='button' className='phone-only' onClick={() => camera.current?.click()}>
          {m.takePhoto}
        </button>
      </div>
      <input
        ref={picker}
        type='file'
        hidden
        multiple
        accept={accepted}
        aria-label={m.chooseFiles}
        onChange={({ target }) => {
          add(target.files)
          // the same file again is a new choice
          target.value = ''
        }}
      />
      <input
        ref={camera}
        type='file'
        hidden
        accept='image/*'
        capture='environment'
        aria-label={m.choosePhoto}
        onChange={({ target }) => {
          add(target.files)
          target.value = ''
        }}
      />
      <p className='field-note'>{m.howToAdd}</p>
      {space !== undefined && (
        <p className='field-note'>
          {m.left(formatSize(space.bytes_left), formatSize(space.max_file_bytes))}
        </p>
      )}
    </>
  )
}

/** An upload: its progress, or its error with another try. */
export const UploadItem = ({ upload }: { upload: Upload }) => (
  <li>
    <span>
      {upload.file.name}
      {upload.error === null
        ? <progress value={upload.sent} max={1} aria-label={m.progress(upload.file.name)} />
        : <ErrorNote error={upload.error} />}
    </span>
    {upload.error !== null && (
      <Action
        name={m.retry}
        of={upload.file.name}
        onClick={() => retryUpload(upload)}
      />
    )}
    <Action
      name={upload.error === null ? common.cancel : common.remove}
      of={upload.file.name}
      onClick={() => removeUpload(upload)}
    />
  </li>
)
