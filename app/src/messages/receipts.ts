import { inLanguage } from '../locale/language.ts'

export const receipts = inLanguage({
  en: {
    receipts: 'Receipts',
    receiptsOf: (name: string) => `Receipts for ${name}`,
    mark: (count: number, name: string) =>
      `${count === 1 ? '1 receipt' : `${count} receipts`} for ${name}`,
    status: (count: number, running: number) =>
      running > 0
        ? `Uploading ${running === 1 ? '1 file' : `${running} files`}…`
        : count === 0
        ? 'No receipts yet.'
        : count === 1
        ? '1 receipt'
        : `${count} receipts`,
    addFiles: 'Add files',
    takePhoto: 'Take a photo',
    howToAdd:
      'You can also paste or drop files here. Photos are resized and their location data is removed before they are uploaded.',
    chooseFiles: 'Choose files',
    choosePhoto: 'Choose photo',
    left: (left: string, most: string) => `${left} left, up to ${most} per file.`,
    show: 'Show',
    download: 'Download',
    retry: 'Try again',
    progress: (name: string) => `Uploading ${name}`,
    fileName: 'File name',
    note: 'Note',
    space: 'Receipt storage',
    used: (used: string, left: string) => `${used} used, ${left} left`,
    yourOwn: 'Your receipts',
    teamReceipts: (name: string) => `Receipts in ${name}`,
  },
  de: {
    receipts: 'Belege',
    receiptsOf: (name: string) => `Belege zu ${name}`,
    mark: (count: number, name: string) =>
      `${count === 1 ? '1 Beleg' : `${count} Belege`} zu ${name}`,
    status: (count: number, running: number) =>
      running > 0
        ? `${running === 1 ? 'Eine Datei wird' : `${running} Dateien werden`} hochgeladen …`
        : count === 0
        ? 'Noch kein Beleg.'
        : count === 1
        ? '1 Beleg'
        : `${count} Belege`,
    addFiles: 'Dateien hinzufügen',
    takePhoto: 'Foto aufnehmen',
    howToAdd:
      'Du kannst Dateien auch einfügen oder hierher ziehen. Fotos werden vor dem Senden verkleinert, und ihr Ort wird entfernt.',
    chooseFiles: 'Dateien auswählen',
    choosePhoto: 'Foto auswählen',
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
    teamReceipts: (name: string) => `Belege von ${name}`,
  },
})
