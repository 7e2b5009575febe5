import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLoaded } from '../../live.js';
import { Form, TextField, useAction } from '../../parts/form.jsx';
import { WhenLoaded } from '../../parts/notice.jsx';
import { RichText } from '../../parts/rich-text.jsx';
import { Link, navigate } from '../../router.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';

type Schemas = components['schemas'];
type Item = Schemas['NewsItemDto'];
type Written = Schemas['WriteNewsDto'];

const W = words.deskTexts.news;

interface NewsEditorProps {
  /** Undefined for what is yet to be published. */
  readonly newsId: string | undefined;
}

export function NewsEditor({ newsId }: NewsEditorProps): JSX.Element {
  const loaded = useLoaded<Item | null>(newsId ?? 'new', (signal) =>
    newsId === undefined
      ? Promise.resolve(null)
      : session.value.client.get('/news/{news_id}', { params: { path: { news_id: newsId } }, signal }),
  );
  return (
    <>
      <Link to="desk/texts/news">{words.deskTexts.all.news}</Link>
      <WhenLoaded of={loaded}>
        {(item) => <Editor key={item?.updated_at ?? 'new'} item={item} onSaved={loaded.reload} />}
      </WhenLoaded>
    </>
  );
}

const TEXTS = ['headline', 'summary', 'content', 'source', 'author', 'url', 'category', 'language'] as const;
type Text = (typeof TEXTS)[number];
type Draft = Readonly<Record<Text | 'symbols', string>>;

function draftOf(item: Item | null): Draft {
  return {
    headline: item?.headline ?? '',
    summary: item?.summary ?? '',
    content: item?.content ?? '',
    source: item?.source ?? '',
    author: item?.author ?? '',
    url: item?.url ?? '',
    category: item?.category ?? '',
    language: item?.language ?? '',
    symbols: item?.symbols.join(' ') ?? '',
  };
}

/** What differs from what is known; null takes away. */
function changesOf(draft: Draft, known: Draft): Record<string, unknown> {
  const changed: [string, unknown][] = TEXTS.filter((name) => draft[name] !== known[name]).map((name) => [
    name,
    draft[name] === '' ? null : draft[name],
  ]);
  if (draft.symbols !== known.symbols) {
    changed.push(['symbols', draft.symbols.split(/[\s,]+/).filter(Boolean)]);
  }
  return Object.fromEntries(changed);
}

interface EditorProps {
  readonly item: Item | null;
  readonly onSaved: () => void;
}

function Editor({ item, onSaved }: EditorProps): JSX.Element {
  const known = draftOf(item);
  const [draft, setDraft] = useState(known);
  const action = useAction([...TEXTS, 'symbols']);
  const save = async (): Promise<string> => {
    const { client } = session.value;
    const changes = changesOf(draft, known);
    if (item === null) {
      // The service says what is missing.
      const made = await client.post('/admin/news', { body: changes as unknown as Written });
      navigate(`desk/texts/news/${made.news_id}`);
    } else {
      const params = { path: { news_id: item.news_id } };
      await client.patch('/admin/news/{news_id}', { params, body: changes });
      onSaved();
    }
    return words.deskTexts.saved;
  };
  const field = (name: keyof Draft, label: string, hint?: string, rows?: number): JSX.Element => (
    <TextField
      label={label}
      value={draft[name]}
      onChange={(value) => setDraft({ ...draft, [name]: value })}
      hint={hint}
      error={action.errors[name]}
      {...(rows !== undefined && { rows })}
    />
  );
  const title = item === null ? W.write : W.change;
  return (
    <div class="panels">
      <section class="panel">
        <h2>{title}</h2>
        <Form
          label={title}
          submit={words.deskTexts.save}
          action={action}
          onSubmit={() => void action.run(save)}
        >
          {field('headline', W.headline)}
          {field('content', W.content, W.contentHint, 14)}
          {field('summary', W.summary, W.summaryHint, 3)}
          {field('symbols', W.symbols, W.symbolsHint)}
          {field('category', words.news.category)}
          {field('source', W.source, W.sourceHint)}
          {field('author', words.news.author)}
          {field('url', W.url)}
          {field('language', W.language, W.languageHint)}
        </Form>
      </section>
      <section class="panel" aria-label={words.deskTexts.preview}>
        <h2>{words.deskTexts.preview}</h2>
        {draft.headline !== '' && (
          <p>
            <strong>{draft.headline}</strong>
          </p>
        )}
        {draft.content === '' ? (
          <p class="hint">{words.deskTexts.previewEmpty}</p>
        ) : (
          <RichText html={draft.content} />
        )}
      </section>
    </div>
  );
}
