/** The language with the region of the browser, where that names one: dates are written as there. */
export function localeFor(language: string, preferred: readonly string[]): string {
  const found = preferred.find((tag) => languageOf(tag) === languageOf(language) && isLocale(tag));
  return found ?? (isLocale(language) ? language : new Intl.DateTimeFormat().resolvedOptions().locale);
}

function languageOf(tag: string): string {
  return tag.split('-')[0]!.toLowerCase();
}

/** Browsers name some that `Intl` refuses, such as `en-US@posix`. */
function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
