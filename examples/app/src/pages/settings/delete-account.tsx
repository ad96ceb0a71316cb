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
      <h2>{m.deleteYourAccount}</h2>
      {request.data === undefined
        ? (
          <>
            <p>
              {m.everythingPersonalIsDeletedWith} <a href='#data'>{m.whatIsYours}</a> {m.alongFirstNothingHappensBefore}
            </p>
            <Fold name={m.deleteTheAccount} of={request}>
              <Form defaultValues={{ password: '' }} error={request.error} onSubmit={(values) => request.mutate(ownPassword(values))}>
                <Confirmation error={request.error} />
                <SubmitButton isBusy={request.isPending}>{m.mailMeTheLink}</SubmitButton>
              </Form>
            </Fold>
          </>
        )
        : (
          <div role='status'>
            <p>{m.aMailWithTheLink}</p>
            {request.data.organizations.map(({ id, name, successor }) => (
              <p key={id}>
                {successor === null
                  ? m.staysWithoutAnybodyInIt(name)
                  : m.willBeOwnedBy(name, successor.name)}
              </p>
            ))}
          </div>
        )}
    </section>
  )
}
