/** What is drawn is also there in numbers. */
export const TableSwitch = ({ isTable, onChange }: { isTable: boolean, onChange: (isTable: boolean) => void }) => (
  <button
    type='button'
    className='quiet'
    aria-pressed={isTable}
    onClick={() => onChange(!isTable)}
  >
    Show as a table
  </button>
)
