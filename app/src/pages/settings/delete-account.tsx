import { useAccountChange } from '../../data/change.ts'
import { deleteAccount } from '../../data/me.ts'
import { settings as m } from '../../messages/settings.ts'
import { Confirmation, ownPassword } from '../../parts/credentials.tsx'
import { Fold } from '../../parts/fold.tsx'
import { Form, SubmitButton } from '../../parts/form.tsx'

/** Requests the mail that deletes the account, then shows the successors of its teams. */
export function DeleteAccount() {
  const request = useAccountChange(deleteAccount)
  return (
    <section className='section'>
      <h2>{m.deleteAccountTitle}</h2>
      {request.data === undefined
        ? (
          <>
            <p>
              {m.deleteHintStart} <a href='#data'>{m.deleteHintLink}</a> {m.deleteHintEnd}
            </p>
            <Fold name={m.deleteAccount} of={request}>
              <Form
                defaultValues={{ password: '' }}
                error={request.error}
                onSubmit={(values) => request.mutate(ownPassword(values))}
              >
                <Confirmation error={request.error} />
                <SubmitButton isBusy={request.isPending}>{m.emailDeleteLink}</SubmitButton>
              </Form>
            </Fold>
          </>
        )
        : (
          <div role='status'>
            <p>{m.deleteLinkSent}</p>
            {request.data.organizations.map(({ id, name, successor }) => (
              <p key={id}>
                {successor === null
                  ? m.teamWithoutMembers(name)
                  : m.newOwner(name, successor.name)}
              </p>
            ))}
          </div>
        )}
    </section>
  )
}
