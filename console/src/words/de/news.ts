import type { Translation } from '../../../../src/domain/words/catalog.js';
import type { news as en } from '../en/news.js';

export const news: Translation<typeof en> = {
  title: 'Nachrichten',
  search: 'Suche',
  symbol: 'Zum Markt',
  category: 'Kategorie',
  find: 'Suchen',
  list: 'Neueste',
  none: 'Solche Nachrichten gibt es nicht.',
  all: 'Alle Nachrichten',
  source: 'Quelle',
  published: 'Veröffentlicht',
  author: 'Verfasser',
  about: 'Thema',
  whole: 'Den ganzen Text bei der Quelle lesen',
  image: 'Bild: {what}',
  imageOf: 'ein Bild ohne Beschreibung',
};
