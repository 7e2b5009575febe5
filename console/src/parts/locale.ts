/** The locale that a browser names, or where that is none, such as `en-US@posix`, the one that `Intl` uses by itself. */
export function localeOf(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? usualLocale();
  } catch {
    return usualLocale();
  }
}

function usualLocale(): string {
  return new Intl.DateTimeFormat().resolvedOptions().locale;
}
