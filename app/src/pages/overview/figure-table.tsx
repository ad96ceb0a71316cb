/** The figures of a chart: a name and amounts in each row. */
export const FigureTable = ({ heads, rows }: { heads: string[], rows: string[][] }) => (
  <div className='report-hero-table' tabIndex={0} role='group' aria-label={heads.join(', ')}>
    <table>
      <thead>
        <tr>
          {heads.map((head, index) => (
            <th key={head} className={index === 0 ? '' : 'amount'}>{head}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, ...figures]) => (
          <tr key={name}>
            <th scope='row'>{name}</th>
            {figures.map((figure, index) => <td key={index} className='amount'>{figure}</td>)}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
