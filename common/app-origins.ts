/** The origins of native apps whose pages run in a WebView. No web page can have such an origin. */

/** Returns true for an origin such as `capacitor://localhost`, as a WebView writes it. */
export const isAppOrigin = (origin: string): boolean =>
  /^(capacitor|ionic|tauri|app):\/\/[a-z0-9._-]+(:\d{1,5})?$/.test(origin)
