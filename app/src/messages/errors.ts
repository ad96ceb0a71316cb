import { inLanguage } from '../locale/language.ts'

export const errors = inLanguage({
  en: {
    /** Broken constraints of the database. */
    rules: {
      currency: 'Unknown currency. Use a three-letter code such as EUR.',
      decimals: 'The amount has more decimals than its currency allows.',
      name: 'A name must have 1 to 255 characters.',
      length: 'This text is too long. Shorten it.',
      daysInOrder: 'The end date is before the start date.',
      day: 'This date is too far in the past or future.',
      interval: 'This number of days isn’t allowed. Enter a different one.',
      lineItems: 'The splits can’t exceed the transaction amount and must have the same sign.',
      amount: 'That isn’t an amount.',
    },
    codes: {
      OIDC_UNAVAILABLE: 'The provider can’t be reached right now. Try again later.',
      NETWORK_ERROR: 'No response. Check your connection and try again.',
      INVALID_CODE: 'This code is wrong or was already used.',
      RATE_LIMIT_EXCEEDED: 'Too many attempts. Wait a few minutes and try again.',
      22003: 'The amount is too large.',
      22007: 'This date doesn’t exist.',
      22008: 'This date doesn’t exist.',
      23502: 'A required value is missing.',
      23503: 'Your selection no longer exists. Choose something else.',
      23505: 'This already exists.',
      23514: 'One of the values isn’t allowed.',
      42501: 'Your role doesn’t allow this.',
      UNSUPPORTED_MEDIA_TYPE:
        'This file type isn’t supported. Use a PDF, photo (JPEG, PNG, WebP, HEIC), text, email or XML file.',
      FILE_UNREADABLE: 'The file can’t be read. It may have been moved or deleted.',
      PT404: 'This no longer exists.',
      PGRST116: 'This no longer exists.',
    },
    files: {
      tooLarge: (limit: string) => `The file is too large. The limit is ${limit}.`,
      tooMany: (limit: number) =>
        `A transaction can have up to ${limit} files. Delete another file first.`,
      noSpace: (left: string) => `Not enough space: ${left} left. Delete other files first.`,
    },
    periodIsClosed: (day: string) =>
      `The period through ${day} is closed, so nothing was saved. Use a later date, or reopen the period on the Accounts page.`,
    unknown: 'Something went wrong.',
    gone: 'another user has deleted this, so nothing was saved',
    /** Failed sign-ins with the identity provider. */
    signIn: {
      codes: {
        OIDC_EMAIL_NOT_VERIFIED:
          'The provider hasn’t verified your email address. Contact the provider.',
        ACCOUNT_NOT_VERIFIED:
          'There is already an account with your address, but the address was never verified. Choose a new password with “Forgot your password?”, sign in and verify the address. After that, you can also sign in with the provider.',
        EMAIL_CHANGED_RECENTLY:
          'The email address of this account was changed in the last seven days. Sign in with your password first and then with the provider, or try again after seven days.',
        SIGN_UP_CLOSED:
          'You don’t have an account here, and sign-ups are closed. Contact the operator of this service.',
        INVITATION_REQUIRED: 'You need an invitation to create an account here.',
        EMAIL_DOMAIN_NOT_ALLOWED: 'Email addresses from this domain aren’t allowed.',
      },
      unknown: 'Signing in with the provider failed or took too long. Try again.',
    },
  },
  de: {
    rules: {
      currency: 'Diese Währung gibt es nicht. Sie hat drei Buchstaben, z. B. EUR.',
      decimals: 'Der Betrag hat mehr Nachkommastellen, als diese Währung erlaubt.',
      name: 'Ein Name hat 1 bis 255 Zeichen.',
      length: 'Das ist zu lang.',
      daysInOrder: 'Das Ende liegt vor dem Anfang.',
      day: 'Dieser Tag liegt zu weit in der Vergangenheit oder in der Zukunft.',
      interval: 'Diese Anzahl von Tagen geht nicht.',
      lineItems: 'Die Teile dürfen zusammen höchstens das Ganze ergeben, mit demselben Vorzeichen.',
      amount: 'Das ist kein Betrag.',
    },
    codes: {
      OIDC_UNAVAILABLE: 'Der Anbieter ist gerade nicht erreichbar. Versuch es später noch einmal.',
      NETWORK_ERROR: 'Keine Antwort. Versuch es noch einmal, wenn die Verbindung wieder da ist.',
      INVALID_CODE: 'Dieser Code ist falsch oder wurde schon benutzt.',
      RATE_LIMIT_EXCEEDED:
        'Zu viele Versuche. Warte ein paar Minuten und versuch es dann noch einmal.',
      22003: 'Der Betrag ist zu groß.',
      22007: 'Diesen Tag gibt es nicht.',
      22008: 'Diesen Tag gibt es nicht.',
      23502: 'Es fehlt noch eine Angabe.',
      23503: 'Deine Auswahl gibt es nicht mehr.',
      23505: 'Das gibt es schon.',
      23514: 'Einer der Werte lässt sich nicht speichern.',
      42501: 'Deine Rolle erlaubt das hier nicht.',
      UNSUPPORTED_MEDIA_TYPE:
        'Dieser Dateityp geht nicht. Möglich sind PDF, Fotos (JPEG, PNG, WebP, HEIC), Text, E-Mail und XML.',
      FILE_UNREADABLE:
        'Die Datei lässt sich nicht lesen. Vielleicht wurde sie verschoben oder gelöscht.',
      PT404: 'Das gibt es nicht mehr.',
      PGRST116: 'Das gibt es nicht mehr.',
    },
    files: {
      tooLarge: (limit: string) => `Die Datei ist zu groß. Erlaubt sind höchstens ${limit}.`,
      tooMany: (limit: number) =>
        `Eine Buchung hat höchstens ${
          limit === 1 ? 'eine Datei' : `${limit} Dateien`
        }. Lösch zuerst eine andere.`,
      noSpace: (left: string) =>
        `Der Platz reicht nicht: Es sind noch ${left} frei. Lösch zuerst andere Dateien.`,
    },
    periodIsClosed: (day: string) =>
      `Die Tage bis ${day} sind abgeschlossen, deshalb wurde nichts gespeichert. Nimm einen späteren Tag oder öffne die Tage wieder unter „Konten“.`,
    unknown: 'Das hat nicht geklappt.',
    gone: 'das wurde inzwischen gelöscht, deshalb wurde nichts gespeichert',
    signIn: {
      codes: {
        OIDC_EMAIL_NOT_VERIFIED:
          'Der Anbieter hat deine E-Mail-Adresse nicht bestätigt. Frag dort nach.',
        ACCOUNT_NOT_VERIFIED:
          'Es gibt schon einen Zugang mit deiner Adresse, aber sie wurde nie bestätigt. Wähle unter „Passwort vergessen?“ ein neues Passwort, melde dich damit an und bestätige die Adresse. Danach kannst du dich auch über den Anbieter anmelden.',
        EMAIL_CHANGED_RECENTLY:
          'Die E-Mail-Adresse dieses Zugangs wurde in den letzten sieben Tagen geändert. Melde dich zuerst mit deinem Passwort an und dann über den Anbieter, oder versuch es nach sieben Tagen noch einmal.',
        SIGN_UP_CLOSED:
          'Du hast hier keinen Zugang, und neue werden nicht angelegt. Frag den Betreiber dieses Dienstes.',
        INVITATION_REQUIRED: 'Für einen Zugang brauchst du hier eine Einladung.',
        EMAIL_DOMAIN_NOT_ALLOWED: 'Mit einer Adresse dieser Domain bekommst du hier keinen Zugang.',
      },
      unknown:
        'Die Anmeldung beim Anbieter hat nicht geklappt oder zu lange gedauert. Versuch es noch einmal.',
    },
  },
})
