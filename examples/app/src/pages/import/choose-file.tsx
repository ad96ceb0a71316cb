import { type DragEvent, useId, useState } from 'react'

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
    <div className='drop' data-over={isOver} onDragOver={over} onDragLeave={() => setIsOver(false)} onDrop={drop}>
      <label htmlFor={id}>A file of your bank</label>
      <input
        id={id}
        type='file'
        accept='.csv,.txt,.ofx,.qfx,.qif,.xml,text/csv'
        aria-describedby={`${id}-note`}
        onChange={({ target }) => target.files?.[0] !== undefined && onChoose(target.files[0])}
      />
      <p id={`${id}-note`} className='field-note'>
        CSV, OFX, QFX, QIF or CAMT.053. Choose it or drop it here. It is read on this device, and you see what becomes of each row before anything is stored.
      </p>
    </div>
  )
}
