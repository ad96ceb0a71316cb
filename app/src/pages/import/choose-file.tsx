import { type DragEvent, useId, useState } from 'react'
import { bankImport as m } from '../../messages/bank-import.ts'

/** Takes a file by a dialog or by drag and drop. */
export function ChooseFile({ onChoose }: { onChoose: (file: File) => void }) {
  const id = useId()
  const [isOver, setIsOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    const [file] = event.dataTransfer.files
    if (file !== undefined) onChoose(file)
  }
  const over = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(true)
  }
  return (
    <div
      className='import-drop'
      data-over={isOver}
      onDragOver={over}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <label htmlFor={id}>{m.bankFile}</label>
      <input
        id={id}
        type='file'
        accept='.csv,.txt,.ofx,.qfx,.qif,.xml,.sta,.mt940,.940,.942,.zip,text/csv'
        aria-describedby={`${id}-note`}
        onChange={({ target }) => target.files?.[0] !== undefined && onChoose(target.files[0])}
      />
      <p id={`${id}-note`} className='field-note'>
        {m.fileFormats}
      </p>
    </div>
  )
}
