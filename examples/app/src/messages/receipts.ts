import { inLanguage } from '../locale/language.ts'

export const receipts = inLanguage({
  en: {
    receipts: 'Receipts',
    receiptsOf: (name: string) => `Receipts of ${name}`,
    mark: (count: number, name: string) => `${count === 1 ? '1 receipt' : `${count} receipts`} of ${name}`,
    status: (count: number, running: number) =>
      running > 0
        ? `${running === 1 ? 'One file is' : `${running} files are`} being uploaded…`
        : count === 0
        ? 'No receipt yet.'
        : count === 1
        ? '1 receipt'
        : `${count} receipts`,
    addFiles: 'Add files',
    takeAPhoto: 'Take a photo',
    howToAdd: 'You can also paste or drop files here. Photos are made smaller and lose their position before they are sent.',
    chooseFiles: 'Files to add',
    photo: 'Photo to add',
    left: (left: string, most: string) => `${left} of space left, at most ${most} a file.`,
    show: 'Show',
    download: 'Download',
    retry: 'Try again',
    progress: (name: string) => `Upload of ${name}`,
    fileName: 'Name of the file',
    note: 'Note',
    space: 'Space for receipts',
    used: (used: string, left: string) => `${used} used, ${left} left`,
    yourOwn: 'Your own receipts',
    teams: (name: string) => `Receipts of ${name}`,
  },
  de: {
    receipts: 'Belege',
    receiptsOf: (name: string) => `Belege zu ${name}`,
    mark: (count: number, name: string) => `${count === 1 ? '1 Beleg' : `${count} Belege`} zu ${name}`,
    status: (count: number, running: number) =>
      running > 0
        ? `${running === 1 ? 'Eine Datei wird' : `${running} Dateien werden`} hochgeladen …`
        : count === 0
        ? 'Noch kein Beleg.'
        : count === 1
        ? '1 Beleg'
        : `${count} Belege`,
    addFiles: 'Dateien hinzufügen',
    takeAPhoto: 'Foto aufnehmen',
    howToAdd: 'Du kannst Dateien auch einfügen oder hierher ziehen. Fotos werden vor dem Senden verkleinert, und ihr Ort wird entfernt.',
    chooseFiles: 'Dateien auswählen',
    photo: 'Foto auswählen',
    left: (left: string, most: string) => `Noch ${left} frei, höchstens ${most} je Datei.`,
    show: 'Anzeigen',
    download: 'Herunterladen',
    retry: 'Noch einmal',
    progress: (name: string) => `${name} wird hochgeladen`,
    fileName: 'Dateiname',
    note: 'Notiz',
    space: 'Platz für Belege',
    used: (used: string, left: string) => `${used} belegt, ${left} frei`,
    yourOwn: 'Deine Belege',
    teams: (name: string) => `Belege von ${name}`,
  },
})
