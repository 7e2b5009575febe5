import type { JSX } from 'preact';
import { SubNav } from '../../parts/sub-nav.jsx';
import type { PageProps } from '../../router.jsx';
import { words } from '../../words/index.js';
import { Entries } from './entries.jsx';
import { EntryEditor } from './entry-editor.jsx';
import { Images } from './images.jsx';
import { NewsDesk } from './news.jsx';
import { NewsEditor } from './news-editor.jsx';

const PARTS = words.deskTexts.parts;
/** In the place of an id: one that is yet to be written. */
const NEW = 'new';

/** Posts, pages and news to write, and the images in them. */
export function Texts({ rest: [part = 'posts', id] }: PageProps): JSX.Element {
  const known = id === NEW ? undefined : id;
  return (
    <>
      <SubNav label={words.deskTexts.title} base="desk/texts" parts={PARTS} current={part} />
      {(part === 'posts' || part === 'pages') &&
        (id === undefined ? (
          <Entries key={part} kind={part} />
        ) : (
          <EntryEditor key={`${part} ${id}`} kind={part} id={known} />
        ))}
      {part === 'news' && (id === undefined ? <NewsDesk /> : <NewsEditor key={id} newsId={known} />)}
      {part === 'images' && <Images />}
    </>
  );
}
