/**
 * The service's reasons for rows, as sentences of the app. `{}` is a value of the reason, in its
 * order. A reason continues the note of its verdict, such as “Skipped:”, if there is one.
 */
export const english: ReadonlyArray<readonly [reason: string, sentence: string]> = [
  ['transfer with "{}" on {} in account "{}"', 'transfer with “{}” on {} in account “{}”.'],
  ['the period through {} is closed', 'the period through {} is closed.'],
  ['the bank changed: {}', 'the bank changed: {}.'],
  ['saved with different values: {}', 'saved with different values: {}.'],
  ['its splits total {}', 'Its splits total {}.'],
  ['it is part of a transfer', 'It is part of a transfer.'],
  ['already imported under a different bank ID', 'Already imported under a different bank ID.'],
  ['row {} has the same external_id "{}"', 'row {} has the same transaction ID.'],
  [
    'the bank also gave the ID "{}" to another transaction, so this one is identified by its date, amount and name',
    'The bank also gave the ID “{}” to another transaction, so this one is identified by its date, amount and name.',
  ],
  ['may be "{}", which is in a closed period', 'May be “{}”, which is in a closed period.'],
  [
    'recorded from a recurring item as "{}" on {}',
    'recorded from a recurring item as “{}” on {}.',
  ],
  ['entered as "{}" on {}', 'entered as “{}” on {}.'],
  ['pending at the bank as "{}" on {}', 'pending at the bank as “{}” on {}.'],
  ['imported from {} as "{}"', 'Imported from {} as “{}”.'],
  [
    'the row from {} that was matched to this transaction will be matched again',
    'The row from {} that was matched to this transaction will be matched again.',
  ],
  [
    'previously imported and deleted by a user',
    'Previously imported and then deleted.',
  ],
]
