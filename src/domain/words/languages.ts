/** Which of the languages on offer fits best what somebody asks for. */

/** Tags as BCP 47 has them, the first the dearest; a region is left out where only its language is on offer. */
export function bestLanguage(asked: readonly string[], offered: readonly string[]): string | undefined {
  return asked
    .flatMap((tag) => [tag, tag.split('-')[0]!])
    .map((tag) => offered.find((each) => each.toLowerCase() === tag.toLowerCase()))
    .find((found) => found !== undefined);
}

/** A language by its own name, such as `Deutsch`; its tag where `Intl` does not know it. */
export function ownName(language: string): string {
  const name = new Intl.DisplayNames(language, { type: 'language', fallback: 'code' }).of(language)!;
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}

/** Whether it is a tag in the form in which files and cookies have it, such as `de` or `pt-BR`. */
export function isLanguageTag(text: string): boolean {
  try {
    return /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/.test(text) && Intl.getCanonicalLocales(text)[0] === text;
  } catch {
    return false;
  }
}
