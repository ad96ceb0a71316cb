/** Sentences of the service in German, by their code or by themselves. */
export const german: Readonly<Record<string, string>> = {
  INVALID_EMAIL: 'Diese E-Mail-Adresse ist ungültig.',
  INVALID_PASSWORD:
    'Das Passwort passt nicht. Ein neues hat 8 bis 128 Zeichen, das aktuelle muss stimmen.',
  INVALID_TOKEN: 'Dieser Link ist ungültig, schon benutzt oder abgelaufen.',
  INVALID_PASSKEY: 'Der Passkey hat nicht gepasst oder kam zu spät. Versuch es noch einmal.',
  VALIDATION_ERROR: 'Eine der Angaben ist ungültig.',
  OIDC_FAILED:
    'Die Anmeldung beim Anbieter hat nicht geklappt oder zu lange gedauert. Versuch es noch einmal.',
  INVALID_CREDENTIALS: 'E-Mail-Adresse oder Passwort stimmt nicht.',
  UNAUTHORIZED: 'Melde dich zuerst an.',
  EMAIL_NOT_VERIFIED: 'Bestätige zuerst deine E-Mail-Adresse.',
  SIGN_UP_CLOSED: 'Hier gibt es keine neuen Zugänge. Frag den Betreiber dieses Dienstes.',
  INVITATION_REQUIRED: 'Du brauchst eine Einladung an diese Adresse.',
  EMAIL_DOMAIN_NOT_ALLOWED: 'Mit einer Adresse dieser Domain bekommst du hier keinen Zugang.',
  FRESH_SIGN_IN_REQUIRED:
    'Gib dein Passwort ein oder melde dich neu an: Die letzte Anmeldung ist länger als zehn Minuten her.',
  SECOND_FACTOR_REQUIRED: 'Dieser Zugang braucht einen zweiten Faktor.',
  FORBIDDEN: 'Das darfst du nicht.',
  MEMBERSHIP_LIMIT_REACHED: 'Ein Team hat höchstens 50 Mitglieder.',
  API_KEY_LIMIT_REACHED: 'Du kannst höchstens 20 Schlüssel haben.',
  CALENDAR_LIMIT_REACHED: 'Du kannst höchstens 10 Kalender haben.',
  WEBHOOK_LIMIT_REACHED: 'Du kannst höchstens 10 Webhooks haben.',
  INVITATION_LIMIT_REACHED: 'Ein Team hat höchstens 100 offene Einladungen.',
  ORGANIZATION_LIMIT_REACHED: 'Du kannst höchstens 5 Teams besitzen.',
  PASSKEY_LIMIT_REACHED: 'Du kannst höchstens 20 Passkeys haben.',
  OWNER_REQUIRED: 'Ein Team gehört immer jemandem. Übergib es zuerst.',
  SUBSCRIPTION_REQUIRED: 'Dafür brauchst du ein aktives Teams-Abo.',
  NOT_FOUND: 'Das gibt es nicht, oder du darfst es nicht sehen.',
  ALREADY_INVITED: 'Für diese Adresse gibt es schon eine offene Einladung.',
  ALREADY_MEMBER: 'Diese Adresse gehört schon zum Team.',
  ALREADY_VERIFIED:
    'Diese Adresse wurde bestätigt, also bleibt der Zugang. Warst du das nicht, wähle ein neues Passwort: Das beendet alle Sitzungen.',
  SLUG_TAKEN: 'Ein anderes Team hat diese Adresse schon.',
  EMAIL_CHANGED_RECENTLY:
    'Deine E-Mail-Adresse wurde in den letzten sieben Tagen geändert. Versuch es danach noch einmal.',
  PASSKEY_EXISTS: 'Dieser Passkey gehört schon zu einem Zugang.',
  PASSKEY_MISSING: 'Du hast noch keinen Passkey. Leg zuerst einen an.',
  PASSKEYS_UNSUPPORTED: 'Dieser Browser kann hier keine Passkeys.',
  TWO_FACTOR_ENABLED: 'Zwei Faktoren sind schon eingeschaltet.',
  TWO_FACTOR_NOT_ENABLED: 'Zwei Faktoren sind nicht eingeschaltet.',
  USER_EXISTS: 'Mit dieser E-Mail-Adresse gibt es schon einen Zugang.',
  METHOD_NOT_ALLOWED: 'Das geht unter dieser Adresse nicht.',
  IDEMPOTENCY_KEY_NOT_SUPPORTED: 'Dieser Dienst kennt den Header Idempotency-Key nicht.',
  PRECONDITION_FAILED: 'Die Datei wurde inzwischen geändert.',
  PAYLOAD_TOO_LARGE: 'Das ist zu viel auf einmal.',
  INTERNAL_ERROR: 'Da ist bei uns etwas schiefgegangen.',
  SERVICE_BUSY: 'Der Dienst ist gerade ausgelastet. Versuch es gleich noch einmal.',
  ABORTED: 'Abgebrochen.',
  FILE_DAMAGED: 'Die Datei eines Belegs ist beschädigt.',
  CONTEXT_CHANGED: 'Während des Exports hast du den Bereich gewechselt. Versuch es noch einmal.',
  53400: 'Zu viel auf einmal. Versuch es gleich noch einmal.',
  'If this address belongs to an unverified account, we sent an email to it.':
    'Wenn es mit dieser Adresse einen unbestätigten Zugang gibt, ist eine Mail unterwegs.',
  'If this address belongs to an account, we sent an email to it.':
    'Wenn es mit dieser Adresse einen Zugang gibt, ist eine Mail unterwegs.',
  'Your password was changed and all sessions were ended. Sign in again.':
    'Dein Passwort ist geändert, alle Sitzungen sind beendet. Melde dich neu an.',
  'the data has changed since this request, or the request was already undone':
    'Das wurde danach noch einmal geändert oder ist schon rückgängig gemacht.',
  'another change to this data is still in progress':
    'Eine andere Änderung läuft noch. Versuch es gleich noch einmal.',
  "a line item of a transfer can't have a category":
    'Ein Teil einer Umbuchung hat keine Kategorie.',
  'one of the transactions is already part of a transfer':
    'Eine der Buchungen gehört schon zu einer Umbuchung.',
  "you can't reverse one side of a transfer":
    'Bei einer Umbuchung bleibt die Richtung gleich. Lösch sie und leg sie neu an.',
  "you can't change the currency of one side of a transfer":
    'Bei einer Umbuchung bleibt die Währung gleich. Lösch sie und leg sie neu an.',
  'each side of a transfer needs an account': 'Eine Umbuchung braucht auf beiden Seiten ein Konto.',
  'the two sides of a transfer must be in different accounts':
    'Die beiden Seiten einer Umbuchung liegen auf verschiedenen Konten.',
  'a transfer needs two different accounts': 'Eine Umbuchung braucht zwei verschiedene Konten.',
  'the two transactions must be in different accounts':
    'Eine Umbuchung braucht zwei verschiedene Konten.',
  "a failed transaction can't be part of a transfer":
    'Eine fehlgeschlagene Buchung bewegt kein Geld.',
  'the transactions are more than five days apart':
    'Die Buchungen liegen mehr als fünf Tage auseinander.',
  "a category can't replace itself": 'Wähle eine andere Kategorie.',
}
