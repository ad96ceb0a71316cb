import { inLanguage } from '../locale/language.ts'

export const errors = inLanguage({
  en: {
    /** Broken constraints of the database. */
    rules: {
      currency: 'There is no such currency. It has three letters, such as EUR.',
      decimals: 'The amount has more decimals than this currency allows.',
      name: 'A name has one to 255 characters.',
      length: 'This is too long.',
      daysInOrder: 'The end is before the beginning.',
      day: 'This day is too far in the past or in the future.',
      interval: 'This number of days is not possible.',
      lineItems: 'The parts must add up to at most the whole, with the same sign.',
      amount: 'This is no amount.',
    },
    codes: {
      OIDC_UNAVAILABLE: 'The provider cannot be reached at the moment. Try again later.',
      NETWORK_ERROR: 'There was no response. Try again when the connection is back.',
      INVALID_CODE: 'This code is wrong, or was used already.',
      RATE_LIMIT_EXCEEDED: 'You have tried too often. Wait some minutes, and try again.',
      22003: 'The amount is too large.',
      22007: 'There is no such day.',
      22008: 'There is no such day.',
      23502: 'Something is missing.',
      23503: 'What you have chosen no longer exists.',
      23505: 'There is one like this already.',
      23514: 'One of the values cannot be stored.',
      42501: 'Your role here does not allow this.',
      UNSUPPORTED_MEDIA_TYPE: 'Files of this type cannot be added. Use a PDF, a photo (JPEG, PNG, WebP, HEIC), a text, a mail or XML.',
      FILE_UNREADABLE: 'The file cannot be read. It may have been moved or deleted.',
      PT404: 'It is no longer there.',
      PGRST116: 'It is no longer there.',
    },
    files: {
      tooLarge: (limit: string) => `The file is too large. A file has at most ${limit}.`,
      tooMany: (limit: number) => `A transaction has at most ${limit} files. Delete another file first.`,
      noSpace: (left: string) => `There is not enough space: ${left} left. Delete other files first.`,
    },
    daysAreClosed: (day: string) => `The days until ${day} are closed, so nothing was stored. Use a later day, or open the days again on the page Accounts.`,
    unknown: 'The service could not do this.',
    gone: 'another user has deleted this meanwhile, so nothing was stored',
    /** Failed sign-ins with the identity provider. */
    signIn: {
      codes: {
        OIDC_EMAIL_NOT_VERIFIED: 'The provider does not report your e-mail address as verified. Ask its operator.',
        ACCOUNT_NOT_VERIFIED:
          'There is an account with your address, but the address was never verified. Choose a new password by “Forgot your password?”, sign in with it and verify the address. Then you can also sign in with the provider.',
        EMAIL_CHANGED_RECENTLY:
          'The e-mail address of this account was changed in the last seven days. Sign in with your password first, then with the provider, or try again after seven days.',
        SIGN_UP_CLOSED: 'You have no account here, and none can be made. Ask the operator of this service.',
        INVITATION_REQUIRED: 'You need an invitation to have an account here.',
        EMAIL_DOMAIN_NOT_ALLOWED: 'Addresses of this domain cannot have an account here.',
      },
      unknown: 'Signing in with the provider did not work, or took too long. Try again.',
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
      RATE_LIMIT_EXCEEDED: 'Zu viele Versuche. Warte ein paar Minuten und versuch es dann noch einmal.',
      22003: 'Der Betrag ist zu groß.',
      22007: 'Diesen Tag gibt es nicht.',
      22008: 'Diesen Tag gibt es nicht.',
      23502: 'Es fehlt noch eine Angabe.',
      23503: 'Deine Auswahl gibt es nicht mehr.',
      23505: 'Das gibt es schon.',
      23514: 'Einer der Werte lässt sich nicht speichern.',
      42501: 'Deine Rolle erlaubt das hier nicht.',
      UNSUPPORTED_MEDIA_TYPE: 'Dieser Dateityp geht nicht. Möglich sind PDF, Fotos (JPEG, PNG, WebP, HEIC), Text, E-Mail und XML.',
      FILE_UNREADABLE: 'Die Datei lässt sich nicht lesen. Vielleicht wurde sie verschoben oder gelöscht.',
      PT404: 'Das gibt es nicht mehr.',
      PGRST116: 'Das gibt es nicht mehr.',
    },
    files: {
      tooLarge: (limit: string) => `Die Datei ist zu groß. Erlaubt sind höchstens ${limit}.`,
      tooMany: (limit: number) => `Eine Buchung hat höchstens ${limit === 1 ? 'eine Datei' : `${limit} Dateien`}. Lösch zuerst eine andere.`,
      noSpace: (left: string) => `Der Platz reicht nicht: Es sind noch ${left} frei. Lösch zuerst andere Dateien.`,
    },
    daysAreClosed: (day: string) =>
      `Die Tage bis ${day} sind abgeschlossen, deshalb wurde nichts gespeichert. Nimm einen späteren Tag oder öffne die Tage wieder unter „Konten“.`,
    unknown: 'Das hat nicht geklappt.',
    gone: 'das wurde inzwischen gelöscht, deshalb wurde nichts gespeichert',
    signIn: {
      codes: {
        OIDC_EMAIL_NOT_VERIFIED: 'Der Anbieter hat deine E-Mail-Adresse nicht bestätigt. Frag dort nach.',
        ACCOUNT_NOT_VERIFIED:
          'Es gibt schon einen Zugang mit deiner Adresse, aber sie wurde nie bestätigt. Wähle unter „Passwort vergessen?“ ein neues Passwort, melde dich damit an und bestätige die Adresse. Danach kannst du dich auch über den Anbieter anmelden.',
        EMAIL_CHANGED_RECENTLY:
          'Die E-Mail-Adresse dieses Zugangs wurde in den letzten sieben Tagen geändert. Melde dich zuerst mit deinem Passwort an und dann über den Anbieter, oder versuch es nach sieben Tagen noch einmal.',
        SIGN_UP_CLOSED: 'Du hast hier keinen Zugang, und neue werden nicht angelegt. Frag den Betreiber dieses Dienstes.',
        INVITATION_REQUIRED: 'Für einen Zugang brauchst du hier eine Einladung.',
        EMAIL_DOMAIN_NOT_ALLOWED: 'Mit einer Adresse dieser Domain bekommst du hier keinen Zugang.',
      },
      unknown: 'Die Anmeldung beim Anbieter hat nicht geklappt oder zu lange gedauert. Versuch es noch einmal.',
    },
  },
})
