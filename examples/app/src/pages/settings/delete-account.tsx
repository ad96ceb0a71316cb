import { useAccountChange } from '../../data/change.ts'
import { deleteAccount } from '../../data/me.ts'
import { Confirmation, ownPassword } from '../../parts/credentials.tsx'
import { Fold } from '../../parts/fold.tsx'
import { Form, SubmitButton } from '../../parts/form.tsx'

/** Requests the mail that deletes the account, then shows the successors of its teams. */
export function DeleteAccount() {
  const ask = useAccountChange(deleteAccount)
  return (
    <section className='section'>
      <h2>Delete your account</h2>
      {ask.data === undefined
        ? (
          <>
            <p>
              Everything personal is deleted with it; what you entered in teams stays there. Take <a href='#data'>what is yours</a>{' '}
              along first. Nothing happens before you confirm it by a link that we mail you.
            </p>
            <Fold name='Delete the account' of={ask}>
              <Form defaultValues={{ password: '' }} error={ask.error} onSubmit={(values) => ask.mutate(ownPassword(values))}>
                <Confirmation error={ask.error} />
                <SubmitButton isBusy={ask.isPending}>Mail me the link</SubmitButton>
              </Form>
            </Fold>
          </>
        )
        : (
          <div role='status'>
            <p>A mail with the link is on its way. It is good for an hour, in this browser.</p>
            {ask.data.organizations.map(({ id, name, successor }) => (
              <p key={id}>
                {successor === null
                  ? `${name} stays without anybody in it: delete it first if it is not to stay.`
                  : `${name} will be owned by ${successor.name}.`}
              </p>
            ))}
          </div>
        )}
    </section>
  )
}
