import { isLanguageTag } from '../../../domain/words/languages.js';
import { type Reader, text } from '../readers.js';
import { optional, type ReadSetting, setting } from '../setting.js';

/** In what words, and with what looks, the service speaks to people. */
export interface TextsConfig {
  readonly texts: {
    /** Undefined: the service's own. */
    readonly brandingDir: string | undefined;
    /** Of whoever asks for no other. */
    readonly defaultLanguage: string;
  };
}

const language: Reader<string> = {
  expects: 'a language, such as en, de or pt-BR',
  parse: (tag) => (isLanguageTag(tag) ? tag : undefined),
};

export const textsSettings = {
  brandingDir: optional(
    'BRANDING_DIR',
    text('the path of a folder', /^[^\0]+$/),
    'none',
    'Folder with your name, logo, colours, words and mails, see docs/branding.md; read at the start.',
  ),
  defaultLanguage: setting(
    'DEFAULT_LANGUAGE',
    language,
    'en',
    'Language of pages and mails for who asks for none that there is: en, de, or one of BRANDING_DIR.',
  ),
};

export function readTextsConfig(read: ReadSetting): TextsConfig {
  return {
    texts: {
      brandingDir: read(textsSettings.brandingDir),
      defaultLanguage: read(textsSettings.defaultLanguage),
    },
  };
}
